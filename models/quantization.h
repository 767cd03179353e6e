// quantization_config of config.json: which 8-bit models are read, in the form of the package compressed-tensors, and
// which are rejected by name. Stateless.
#pragma once

#include <string>
#include <string_view>

#include "bert/config.h"
#include "engine/base/json_object.h"
#include "engine/checkpoint/weight_reader.h"

namespace bert {

// config: the object quantization_config. Throws Error(kUnsupported) with field, found and expected for any scheme but
// 8-bit weights with a scale for each output and activations quantised for each token.
Quantization read_quantization(const JsonObject& config);

// Whether the layer of this name stays as it is: an entry is a name, or "re:" and an expression that begins the name.
// Throws Error(kUnsupported) for an expression with more than letters, escaped characters, ".", ".*", "^" and "$".
bool is_ignored(const Quantization& quantization, std::string_view layer);

// "float32", "float16", "bfloat16" or "int8".
const char* precision_name(WeightFormat format);

// Throws Error(kInvalidFile) if a linear layer's weights are 8-bit although ignored, or floats although not.
void check_ignored(const Quantization& quantization, const WeightStorage& weights);

}  // namespace bert
