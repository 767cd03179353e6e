// viterbi_calibration.json: the biases by which a token classifier's labels are decoded. Stateless.
#pragma once

#include <optional>

#include "bert/config.h"
#include "engine/base/file_source.h"

namespace bert {

// nullopt: there is no such file. Throws Error for other fields than its own, and for a model whose labels are not
// those of BIOES.
std::optional<TagBiases> read_tag_biases(const FileSource& files, const ModelConfig& config);

}  // namespace bert
