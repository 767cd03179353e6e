// What a model that reads labels is made of: the encoder, or encoders, of its file, and what is beside them. Stateless.
#pragma once

#include <filesystem>
#include <optional>

#include "models/model/model_sources.h"

namespace bert {

// nullopt: the directory is of another kind. Throws Error for anything missing, malformed or unsupported.
std::optional<ModelSources> find_label_sources(const std::filesystem::path& directory,
                                               const PositionReplacement& positions, const LoadOptions& options);

}  // namespace bert
