// Makes tiny models with the layers of Llama, Qwen2, Qwen3, Gemma 1 to 3 or LFM2, and computes them in float64 from
// their descriptions. Shares no code with the library.
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
  // kLfm2: like Qwen3, with a convolution over kWidth tokens instead of the first layer's attention.
  enum class Shape { kLlama, kQwen2, kQwen3, kGemma, kGemma2, kGemma3, kLfm2 };
  static constexpr size_t kWidth = 3;
  static constexpr size_t kVocab = 40, kHidden = 12, kHeads = 4, kKeyHeads = 2, kHeadDim = 6, kInner = 20, kLayers = 2;

  explicit OwnHeadsModel(Shape shape);

  // Writes config.json with the sizes and `settings`, model.safetensors with `prefix` before the names, and a
  // tokenizer.json with tokens of one letter, whose template ends a text with "</s>", id 1.
  void write(const TemporaryDirectory& directory, const nlohmann::json& settings, const std::string& prefix = "") const;

  struct Sight {
    bool is_causal = true;
    std::vector<size_t> windows = {kUnlimited, kUnlimited};  // one per layer
    std::vector<double> thetas = {10000, 10000};
    double score_width = kHeadDim;
    double soft_cap = 0;  // limit of scores; 0: no limit
  };
  static constexpr size_t kUnlimited = static_cast<size_t>(-1);

  // Returns the last hidden state, [tokens, kHidden].
  std::vector<double> encode(const std::vector<int32_t>& ids, const Sight& sight) const;

  // Adds a tensor of random numbers, or of zeros, to the file.
  void add(const std::string& name, const std::vector<size_t>& shape);
  void add_zeros(const std::string& name, const std::vector<size_t>& shape);
  void rename(const std::string& name, const std::string& other);
  // Returns config.json with the sizes.
  static nlohmann::json config();
  // Replaces each layer's tensors `parts` by one tensor `name` with all their rows. encode() cannot be called
  // afterwards.
  void stack(const std::vector<std::string>& parts, const std::string& name);
  const std::vector<float>& values(const std::string& name) const { return tensors_.at(name).values; }

 private:
  using Rows = std::vector<double>;
  struct Tensor {
    std::vector<size_t> shape;
    std::vector<float> values;
  };

  bool has_head_norms() const { return shape_ == Shape::kQwen3 || shape_ == Shape::kGemma3 || shape_ == Shape::kLfm2; }
  bool has_block_norms() const { return shape_ == Shape::kGemma2 || shape_ == Shape::kGemma3; }
  bool is_gemma() const { return shape_ == Shape::kGemma || has_block_norms(); }
  void add_attention(const std::string& prefix);
  Rows dense(const Rows& x, const std::string& name) const;
  Rows normalized(const Rows& x, const std::string& name) const;
  void rotate(Rows& heads, size_t count, double theta) const;
  Rows attention(const Rows& x, const std::string& prefix, size_t layer, const Sight& sight) const;
  Rows convolution(const Rows& x, const std::string& prefix) const;
  Rows feed_forward(const Rows& x, const std::string& prefix) const;

  Shape shape_;
  std::map<std::string, Tensor> tensors_;
};

// Returns `count` ids.
std::vector<int32_t> some_ids(size_t count);

}  // namespace bert::test
