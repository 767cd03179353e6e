// Reads viterbi_calibration.json: the biases for decoding a token classifier's labels. Stateless.
#pragma once

#include <optional>

#include "bert/config.h"
#include "engine/base/file_source.h"

namespace bert {

// Returns nullopt if there is no such file. Throws Error for unknown fields, and for a model whose labels are not
// BIOES.
std::optional<TagBiases> read_tag_biases(const FileSource& files, const ModelConfig& config);

}  // namespace bert
