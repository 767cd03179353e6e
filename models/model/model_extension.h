// What a model has beside its encoder for a task above the core: the layers that read labels (tasks/labels). The core
// loads it with the encoder's weights, and knows no more of it than this. Immutable; safe to use from many threads.
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

  // In words: "spans of up to 12 of 384 words (markerV0), labels before the text".
  virtual std::string description() const = 0;

  // The file with the settings, whose member encoder_config is the encoder's; or the encoder's own file in a folder.
  virtual std::string config_file() const = 0;
};

// Reads what a model has beside the encoder with this configuration.
using ReadExtension = std::function<std::unique_ptr<const ModelExtension>(
    const ModelConfig& config, const Tokenizer& tokenizer, WeightReader& weights)>;

}  // namespace bert
