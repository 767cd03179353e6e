// Tiny models with the layer of Qwen2, of Qwen3 or of Gemma 3, and what that layer computes in float64, from its
// description; no code is shared with the library's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/temporary_directory.h"

namespace bert::test {

class OwnHeadsModel {
 public:
  enum class Shape { kQwen2, kQwen3, kGemma3 };
  static constexpr size_t kVocab = 40, kHidden = 12, kHeads = 4, kKeyHeads = 2, kHeadDim = 6, kInner = 20, kLayers = 2;

  explicit OwnHeadsModel(Shape shape);

  // config.json: the sizes, and `settings`; model.safetensors with the names' prefix; tokenizer.json of one-letter
  // tokens, whose template ends a text with "</s>", id 1.
  void write(const TemporaryDirectory& directory, const nlohmann::json& settings, const std::string& prefix = "") const;

  struct Sight {
    bool is_causal = true;
    std::vector<size_t> windows = {kUnlimited, kUnlimited};  // of each layer
    std::vector<double> thetas = {10000, 10000};
    double score_width = kHeadDim;
  };
  static constexpr size_t kUnlimited = static_cast<size_t>(-1);

  // The last hidden state, [tokens, kHidden].
  std::vector<double> encode(const std::vector<int32_t>& ids, const Sight& sight) const;

  // More tensors of the file.
  void add(const std::string& name, const std::vector<size_t>& shape);
  const std::vector<float>& values(const std::string& name) const { return tensors_.at(name).values; }

 private:
  using Rows = std::vector<double>;
  struct Tensor {
    std::vector<size_t> shape;
    std::vector<float> values;
  };

  Rows dense(const Rows& x, const std::string& name) const;
  Rows normalized(const Rows& x, const std::string& name) const;
  void rotate(Rows& heads, size_t count, double theta) const;
  Rows attention(const Rows& x, const std::string& prefix, size_t layer, const Sight& sight) const;
  Rows feed_forward(const Rows& x, const std::string& prefix) const;

  Shape shape_;
  std::map<std::string, Tensor> tensors_;
};

// Ids of `count` tokens.
std::vector<int32_t> some_ids(size_t count);

}  // namespace bert::test
