// A model's parts beside its encoder, for a task above the core: the layers that read labels (tasks/labels). The core
// loads them with the encoder's weights, and knows nothing else about them. Immutable; safe to use from many threads.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "bert/config.h"
#include "bert/tokenizer.h"
#include "engine/checkpoint/weight_reader.h"

namespace bert {

class ModelExtension {
 public:
  virtual ~ModelExtension() = default;

  // Returns a description: "spans of up to 12 of 384 words (markerV0), labels before the text".
  virtual std::string description() const = 0;

  // Returns the file with the settings, whose member encoder_config is the encoder's; or the encoder's own file in a
  // folder.
  virtual std::string config_file() const = 0;
};

// Reads a model's parts beside the encoder with this configuration.
using ReadExtension = std::function<std::unique_ptr<const ModelExtension>(
    const ModelConfig& config, const Tokenizer& tokenizer, WeightReader& weights)>;

}  // namespace bert
