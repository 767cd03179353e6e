// What a caller's options change in an encoder: fewer layers, other positions. Stateless.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bert/config.h"
#include "models/config/family.h"

namespace bert {

struct EncoderChange {
  const Family* family = nullptr;
  std::string experiment = {};  // the notice if the positions are not the model's own; else ""
};

// Finds the configuration's family, and changes the configuration. layers: the first so many; nullopt: all.
// source: the model's name in messages. Throws Error for what the family does not allow.
EncoderChange change_encoder(ModelConfig& config, const PositionChoice& positions, std::optional<size_t> layers,
                             const std::string& source);

}  // namespace bert
