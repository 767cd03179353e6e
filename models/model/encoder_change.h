// Applies the caller's options to an encoder: fewer layers, other positions. Stateless.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bert/config.h"
#include "models/config/family.h"

namespace bert {

struct EncoderChange {
  const Family* family = nullptr;
  std::string experiment = {};  // a notice if the positions are not the model's own; else ""
};

// Finds the configuration's family, and changes the configuration. layers: keep this many first layers; nullopt: all.
// source: the model's name in messages. Throws Error for changes that the family does not allow.
EncoderChange change_encoder(ModelConfig& config, const PositionChoice& positions, std::optional<size_t> layers,
                             const std::string& source);

}  // namespace bert
