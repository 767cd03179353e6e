// Reads quantization_config of config.json: accepts 8-bit models in the form of the package compressed-tensors, and
// rejects others by name.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bert/config.h"
#include "engine/base/json/json_object.h"
#include "engine/checkpoint/weight_reader.h"
#include "tokenizer/pattern/regular_expression.h"

namespace bert {

// config: the object quantization_config. Throws Error(kUnsupported) with field, found and expected for any scheme but
// 8-bit weights with a scale for each output and activations quantised for each token.
Quantization read_quantization(const JsonObject& config);

// A part of tensors' names that the reference library renamed in its modules.
struct RenamedPart {
  std::string_view stored;     // in files of the model's first release
  std::string_view reference;  // in transformers 5.24
};

// The layers of quantization_config.ignore, which are not quantised. An entry is a name, "Linear" or "Embedding" for
// all layers of this kind, or "re:" and a regular expression for the beginning of a name. A name is that of a stored
// tensor or of the reference's module. Source: compressed-tensors, utils/match.py. Immutable.
class IgnoredLayers {
 public:
  // Throws Error for a malformed expression, and for an expression if its library is missing (RegularExpression).
  explicit IgnoredLayers(const Quantization& quantization, std::span<const RenamedPart> renamed = {});

  bool has(std::string_view layer, std::string_view kind) const;

 private:
  std::span<const RenamedPart> renamed_;
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<RegularExpression>> expressions_;
};

// Returns "float32", "float16", "bfloat16" or "int8".
const char* precision_name(const WeightView& weight);

// Throws Error(kInvalidFile) if an ignored linear layer has 8-bit weights, or one that is not ignored has floats.
void check_ignored(const Quantization& quantization, std::span<const RenamedPart> renamed,
                   const WeightStorage& weights);

}  // namespace bert
