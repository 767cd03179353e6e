// Makes a small model like nomic-embed-text-v2-moe with weights from a seed, and computes its forward pass in plain
// loops, in float64 or float32. Source: the model's published configuration and code.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "tests/support/plain_encoder.h"

namespace bert::test {

// Returns the configuration of a small NomicBERT, with the field names of its authors.
inline nlohmann::json older_nomic_config() {
  return {{"model_type", "nomic_bert"},
          {"activation_function", "swiglu"},
          {"n_embd", 36},
          {"n_head", 3},
          {"n_layer", 3},
          {"n_inner", 58},
          {"n_positions", 128},
          {"vocab_size", 127},
          {"type_vocab_size", 2},
          {"layer_norm_epsilon", 1e-12},
          {"rotary_emb_base", 1000},
          {"rotary_emb_fraction", 1.0},
          {"rotary_emb_interleaved", false},
          {"rotary_emb_scale_base", nullptr},
          {"rotary_scaling_factor", nullptr},
          {"prenorm", false},
          {"qkv_proj_bias", false},
          {"mlp_fc1_bias", false},
          {"mlp_fc2_bias", false}};
}

class ExpertModel : public PlainEncoder {
 public:
  ExpertModel(uint64_t seed, size_t hidden, size_t heads, size_t inner, size_t experts)
      : PlainEncoder(seed), hidden_(hidden), heads_(heads), inner_(inner), experts_(experts) {
    add("embeddings.word_embeddings.weight", {kVocab, hidden}, 1);
    add("embeddings.token_type_embeddings.weight", {1, hidden}, 0.3f);
    add_norm("emb_ln");
    for (size_t i = 0; i < kLayers; ++i) {
      const std::string p = "encoder.layers." + std::to_string(i) + ".";
      add(p + "attn.Wqkv.weight", {3 * hidden, hidden}, 0.2f);
      add(p + "attn.Wqkv.bias", {3 * hidden}, 0.2f);
      add(p + "attn.out_proj.weight", {hidden, hidden}, 0.2f);
      add(p + "attn.out_proj.bias", {hidden}, 0.2f);
      add_norm(p + "norm1");
      add_norm(p + "norm2");
      if (i % 2 == 1) {
        add(p + "mlp.router.layer.weight", {experts, hidden}, 0.4f);
        add(p + "mlp.experts.mlp.w1", {experts * inner, hidden}, 0.2f);
        add(p + "mlp.experts.mlp.w2", {experts * inner, hidden}, 0.2f);
        add(p + "mlp.experts.bias", {hidden}, 0.2f);
      } else {
        add(p + "mlp.fc1.weight", {inner, hidden}, 0.2f);
        add(p + "mlp.fc1.bias", {inner}, 0.2f);
        add(p + "mlp.fc2.weight", {hidden, inner}, 0.2f);
        add(p + "mlp.fc2.bias", {hidden}, 0.2f);
      }
    }
  }

  nlohmann::json config() const override {
    nlohmann::json config = older_nomic_config();
    config.update({{"activation_function", "gelu"},
                   {"n_embd", hidden_},
                   {"n_head", heads_},
                   {"n_layer", kLayers},
                   {"n_inner", inner_},
                   {"vocab_size", kVocab},
                   {"type_vocab_size", 1},
                   {"layer_norm_epsilon", 1e-5},
                   {"rotary_emb_base", 10000},
                   {"qkv_proj_bias", true},
                   {"mlp_fc1_bias", true},
                   {"mlp_fc2_bias", true},
                   {"num_experts", experts_},
                   {"moe_top_k", kTopK},
                   {"moe_every_n_layers", 2}});
    return config;
  }

  // Returns [tokens, hidden]. margin: gets, for each token, the smallest difference between a chosen expert's
  // probability and the next one's.
  template <class T>
  std::vector<T> forward(const std::vector<int32_t>& ids, std::vector<double>& margin) const {
    const size_t rows = ids.size(), size = hidden_ / heads_;
    margin.assign(rows, 1);
    std::vector<T> x = rows_of<T>("embeddings.word_embeddings.weight", ids, hidden_);
    for (size_t i = 0; i < x.size(); ++i) {
      x[i] += static_cast<T>(values("embeddings.token_type_embeddings.weight")[i % hidden_]);
    }
    normalize(x, "emb_ln");
    for (size_t layer = 0; layer < kLayers; ++layer) {
      const std::string p = "encoder.layers." + std::to_string(layer) + ".";
      const std::vector<T> qkv = dense(x, p + "attn.Wqkv", 3 * hidden_);
      std::vector<T> context(x.size());
      const auto turned = [&](size_t part, size_t row, size_t head, size_t i) {
        const T* at = qkv.data() + row * 3 * hidden_ + part * hidden_ + head * size;
        const size_t half = size / 2, pair = i % half;
        const auto angle = static_cast<T>(static_cast<double>(row) *
                                          std::pow(10000.0, -static_cast<double>(pair) / static_cast<double>(half)));
        return i < half ? at[pair] * std::cos(angle) - at[pair + half] * std::sin(angle)
                        : at[pair + half] * std::cos(angle) + at[pair] * std::sin(angle);
      };
      for (size_t head = 0; head < heads_; ++head) {
        for (size_t query = 0; query < rows; ++query) {
          std::vector<T> scores(rows);
          for (size_t key = 0; key < rows; ++key) {
            for (size_t i = 0; i < size; ++i) scores[key] += turned(0, query, head, i) * turned(1, key, head, i);
            scores[key] /= std::sqrt(static_cast<T>(size));
          }
          softmax(scores);
          for (size_t key = 0; key < rows; ++key) {
            for (size_t i = 0; i < size; ++i) {
              context[query * hidden_ + head * size + i] +=
                  scores[key] * qkv[key * 3 * hidden_ + 2 * hidden_ + head * size + i];
            }
          }
        }
      }
      add_rows(x, dense(context, p + "attn.out_proj", hidden_));
      normalize(x, p + "norm1");
      add_rows(x, layer % 2 == 1 ? experts(x, p + "mlp.", margin) : plain(x, p + "mlp."));
      normalize(x, p + "norm2");
    }
    return x;
  }

  static constexpr size_t kVocab = 60, kLayers = 4, kTopK = 2;

 private:
  void add_norm(const std::string& name) {
    add(name + ".weight", {hidden_}, 0.1f, 1);
    add(name + ".bias", {hidden_}, 0.1f);
  }
  template <class T>
  static void gelu(std::vector<T>& x) {
    for (T& value : x) value = value * (1 + std::erf(value / std::sqrt(T{2}))) / 2;
  }
  template <class T>
  void normalize(std::vector<T>& x, const std::string& name) const {
    for (size_t row = 0; row < x.size() / hidden_; ++row) {
      T* at = x.data() + row * hidden_;
      T mean = 0, variance = 0;
      for (size_t i = 0; i < hidden_; ++i) mean += at[i] / static_cast<T>(hidden_);
      for (size_t i = 0; i < hidden_; ++i) variance += (at[i] - mean) * (at[i] - mean) / static_cast<T>(hidden_);
      for (size_t i = 0; i < hidden_; ++i) {
        at[i] =
            (at[i] - mean) / std::sqrt(variance + static_cast<T>(1e-5)) * static_cast<T>(values(name + ".weight")[i]) +
            static_cast<T>(values(name + ".bias")[i]);
      }
    }
  }
  template <class T>
  std::vector<T> plain(const std::vector<T>& x, const std::string& name) const {
    std::vector<T> wide = dense(x, name + "fc1", inner_);
    gelu(wide);
    return dense(wide, name + "fc2", hidden_);
  }
  template <class T>
  std::vector<T> experts(const std::vector<T>& x, const std::string& name, std::vector<double>& margin) const {
    const std::vector<float>&router = values(name + "router.layer.weight"), &w1 = values(name + "experts.mlp.w1"),
          &w2 = values(name + "experts.mlp.w2"), &bias = values(name + "experts.bias");
    std::vector<T> y(x.size());
    for (size_t row = 0; row < x.size() / hidden_; ++row) {
      const T* at = x.data() + row * hidden_;
      std::vector<T> p(experts_);
      for (size_t e = 0; e < experts_; ++e) {
        for (size_t i = 0; i < hidden_; ++i) p[e] += at[i] * static_cast<T>(router[e * hidden_ + i]);
      }
      softmax(p);
      std::vector<size_t> order(experts_);
      std::iota(order.begin(), order.end(), size_t{0});
      std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return p[a] > p[b]; });
      margin[row] = std::min(margin[row], static_cast<double>(p[order[kTopK - 1]] - p[order[kTopK]]));
      for (size_t k = 0; k < kTopK; ++k) {
        const size_t first = order[k] * inner_;
        std::vector<T> wide(inner_);
        for (size_t j = 0; j < inner_; ++j) {
          for (size_t i = 0; i < hidden_; ++i) wide[j] += at[i] * static_cast<T>(w1[(first + j) * hidden_ + i]);
        }
        gelu(wide);
        for (size_t i = 0; i < hidden_; ++i) {
          T sum = 0;
          for (size_t j = 0; j < inner_; ++j) sum += wide[j] * static_cast<T>(w2[(first + j) * hidden_ + i]);
          y[row * hidden_ + i] += p[order[k]] * sum;
        }
      }
      for (size_t i = 0; i < hidden_; ++i) y[row * hidden_ + i] += static_cast<T>(bias[i]);
    }
    return y;
  }

  size_t hidden_, heads_, inner_, experts_;
};

}  // namespace bert::test
