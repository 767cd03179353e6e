// Applies the caller's options to an encoder: its first layers alone (LoadOptions::layers), other positions. Stateless.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bert/config.h"
#include "models/config/family.h"

namespace bert {

// Reduces the configuration to this many layers. Throws Error(kInvalidArgument) unless the model has that many;
// kUnsupported for layers in several groups, because the number of layers decides a layer's group. source: the model's
// name in messages.
void keep_first_layers(ModelConfig& config, size_t layers, const std::string& source);

// Returns the names that config.json may have for the number of layers; the first is the family's own.
std::vector<std::string> layer_count_fields(const Family& family);

struct EncoderChange {
  const Family* family = nullptr;
  std::string experiment = {};  // a notice if the positions are not the model's own; else ""
};

// Finds the configuration's family, and changes the configuration. layers: keep this many first layers; nullopt: all.
// source: the model's name in messages. Throws Error for changes that the family does not allow.
EncoderChange change_encoder(ModelConfig& config, const PositionChoice& positions, std::optional<size_t> layers,
                             const std::string& source);

}  // namespace bert
