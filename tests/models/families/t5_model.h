// Makes a small model with T5's layers and weights from a seed, and computes its encoder's forward pass in plain loops,
// in float64 or float32. Source: Raffel et al. 2020; Shazeer 2020 for the gate.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/plain_encoder.h"

namespace bert::test {

class T5Model : public PlainEncoder {
 public:
  // size: the number of components of a head, which does not depend on the hidden size.
  struct Shape {
    size_t hidden, heads, size, inner;
    bool gated;
  };
  T5Model(uint64_t seed, const Shape& shape) : PlainEncoder(seed), shape_(shape), width_(shape.heads * shape.size) {
    add("shared.weight", {kVocab, shape.hidden}, 1);
    add("encoder.final_layer_norm.weight", {shape.hidden}, 0.1f, 1);
    add(kBias, {32, shape.heads}, 0.5f);
    for (size_t i = 0; i < kLayers; ++i) {
      const std::string p = "encoder.block." + std::to_string(i) + ".layer.";
      for (const char* part : {"q", "k", "v"}) {
        add(p + "0.SelfAttention." + part + ".weight", {width_, shape.hidden}, 0.15f);
      }
      add(p + "0.SelfAttention.o.weight", {shape.hidden, width_}, 0.15f);
      add(p + "0.layer_norm.weight", {shape.hidden}, 0.1f, 1);
      add(p + "1.layer_norm.weight", {shape.hidden}, 0.1f, 1);
      for (const char* part : {"wi_0", "wi_1"}) {
        if (shape.gated) add(p + "1.DenseReluDense." + part + ".weight", {shape.inner, shape.hidden}, 0.15f);
      }
      if (!shape.gated) add(p + "1.DenseReluDense.wi.weight", {shape.inner, shape.hidden}, 0.15f);
      add(p + "1.DenseReluDense.wo.weight", {shape.hidden, shape.inner}, 0.15f);
    }
  }

  nlohmann::json config() const override {
    return {{"model_type", "t5"},
            {"architectures", {"T5EncoderModel"}},
            {"vocab_size", kVocab},
            {"d_model", shape_.hidden},
            {"d_kv", shape_.size},
            {"d_ff", shape_.inner},
            {"num_layers", kLayers},
            {"num_heads", shape_.heads},
            {"relative_attention_num_buckets", 32},
            {"feed_forward_proj", shape_.gated ? "gated-gelu" : "relu"}};
  }

  // Returns [tokens, hidden].
  template <class T>
  std::vector<T> forward(const std::vector<int32_t>& ids) const {
    std::vector<T> x = rows_of<T>("shared.weight", ids, shape_.hidden);
    for (size_t layer = 0; layer < kLayers; ++layer) {
      const std::string p = "encoder.block." + std::to_string(layer) + ".layer.";
      add_rows(x, attention(normed(x, p + "0.layer_norm"), p + "0.SelfAttention."));
      add_rows(x, feed_forward(normed(x, p + "1.layer_norm"), p + "1.DenseReluDense."));
    }
    return normed(x, "encoder.final_layer_norm");
  }

  static constexpr size_t kVocab = 60, kLayers = 3;

 private:
  static constexpr const char* kBias = "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight";
  // Returns the bucket of distance = key - query. Each direction has half of the buckets: 8 for exact distances, and
  // the others for logarithmic ranges up to 128.
  static size_t bucket(int64_t distance) {
    const size_t half = distance > 0 ? 16 : 0;
    const auto far = static_cast<size_t>(std::abs(distance));
    if (far < 8) return half + far;
    const double steps = std::log2(static_cast<double>(far) / 8) / std::log2(16.0) * 8;
    return half + std::min<size_t>(8 + static_cast<size_t>(std::floor(steps + 1e-9)), 15);
  }

  template <class T>
  std::vector<T> attention(const std::vector<T>& x, const std::string& p) const {
    const size_t rows = x.size() / shape_.hidden;
    const std::vector<T> q = dense(x, p + "q", width_), k = dense(x, p + "k", width_), v = dense(x, p + "v", width_);
    std::vector<T> context(rows * width_);
    for (size_t head = 0; head < shape_.heads; ++head) {
      for (size_t query = 0; query < rows; ++query) {
        std::vector<T> scores(rows);
        for (size_t key = 0; key < rows; ++key) {
          for (size_t i = head * shape_.size; i < (head + 1) * shape_.size; ++i) {
            scores[key] += q[query * width_ + i] * k[key * width_ + i];
          }
          const size_t row = bucket(static_cast<int64_t>(key) - static_cast<int64_t>(query));
          scores[key] += static_cast<T>(values(kBias)[row * shape_.heads + head]);
        }
        softmax(scores);
        for (size_t key = 0; key < rows; ++key) {
          for (size_t i = head * shape_.size; i < (head + 1) * shape_.size; ++i) {
            context[query * width_ + i] += scores[key] * v[key * width_ + i];
          }
        }
      }
    }
    return dense(context, p + "o", shape_.hidden);
  }

  template <class T>
  std::vector<T> feed_forward(const std::vector<T>& x, const std::string& p) const {
    std::vector<T> wide = dense(x, p + (shape_.gated ? "wi_0" : "wi"), shape_.inner);
    if (shape_.gated) {
      const std::vector<T> linear = dense(x, p + "wi_1", shape_.inner);
      for (size_t i = 0; i < wide.size(); ++i) {
        const T value = wide[i], root = static_cast<T>(std::sqrt(2 / 3.14159265358979323846));
        wide[i] = value * (1 + std::tanh(root * (value + static_cast<T>(0.044715) * value * value * value))) / 2;
        wide[i] *= linear[i];
      }
    } else {
      for (T& value : wide) value = std::max(value, T{0});
    }
    return dense(wide, p + "wo", shape_.hidden);
  }

  template <class T>
  std::vector<T> normed(const std::vector<T>& x, const std::string& name) const {
    return normalized(x, name, shape_.hidden, 1e-6);
  }

  Shape shape_;
  size_t width_;
};

}  // namespace bert::test
