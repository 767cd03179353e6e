// Reads MobileBERT's layers, which are narrower than the hidden states (engine/layers/encoder_layer.h, Bottleneck).
// A view of a WeightReader, which must outlive it.
#pragma once

#include <string>
#include <vector>

#include "engine/layers/encoder_layer.h"
#include "models/config/family.h"
#include "models/config/parameter_reader.h"
#include "models/encoder/relative_reader.h"

namespace bert {

class NarrowReader {
 public:
  // Requires config.bottleneck.
  NarrowReader(const ModelConfig& config, const EncoderNames& names, WeightReader& weights, Activation activation)
      : config_(config),
        names_(names),
        weights_(weights),
        parameters_(weights, config.layer_norm_eps),
        activation_(activation) {}

  // Sets the layer's bottleneck, and all of its feed-forward networks but the last.
  void read_around(LayerSpec& layer, const LayerNumbers& numbers);

  // Reads the queries, keys and values of the layer's input. Two dense layers with only a scale and a shift between
  // them become one layer.
  std::vector<LinearPart> qkv(const LayerNumbers& numbers);

 private:
  Norm norm(const std::string& name, size_t size) {
    return parameters_.norm(name + ".LayerNorm", size, NormKind::kNone);
  }
  LinearPart product(const std::string& after, const std::string& entry);

  const ModelConfig& config_;
  const EncoderNames& names_;
  WeightReader& weights_;
  ParameterReader parameters_;
  Activation activation_;
};

}  // namespace bert
