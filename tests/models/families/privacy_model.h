// Makes a small model with the privacy filter's layers and weights from a seed, and computes its forward pass in plain
// loops, in float64 or float32. Source: the class in transformers 5.24.
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
#include "tests/support/tiny_model.h"

namespace bert::test {

class PrivacyModel : public PlainEncoder {
 public:
  struct Shape {
    size_t hidden, heads, key_heads, size, inner, experts, top_k, window;
    double limit;
    bool whole_bounds = false;  // "truncate" of rope_parameters
  };
  PrivacyModel(uint64_t seed, const Shape& shape) : PlainEncoder(seed), shape_(shape) {
    const size_t hidden = shape.hidden, inner = shape.inner, experts = shape.experts;
    add("model.embed_tokens.weight", {kVocab, hidden}, 1);
    add("model.norm.weight", {hidden}, 0.1f, 1);
    add_dense("score", hidden, kLabels);
    for (size_t i = 0; i < kLayers; ++i) {
      const std::string p = "model.layers." + std::to_string(i) + ".";
      add(p + "input_layernorm.weight", {hidden}, 0.1f, 1);
      add(p + "post_attention_layernorm.weight", {hidden}, 0.1f, 1);
      add_dense(p + "self_attn.q_proj", hidden, shape.heads * shape.size);
      add_dense(p + "self_attn.k_proj", hidden, shape.key_heads * shape.size);
      add_dense(p + "self_attn.v_proj", hidden, shape.key_heads * shape.size);
      add_dense(p + "self_attn.o_proj", shape.heads * shape.size, hidden);
      add(p + "self_attn.sinks", {shape.heads}, 2);
      add_dense(p + "mlp.router", hidden, experts);
      add(p + "mlp.experts.gate_up_proj", {experts, hidden, 2 * inner}, 0.3f);
      add(p + "mlp.experts.gate_up_proj_bias", {experts, 2 * inner}, 0.3f);
      add(p + "mlp.experts.down_proj", {experts, inner, hidden}, 0.2f);
      add(p + "mlp.experts.down_proj_bias", {experts, hidden}, 0.2f);
    }
  }

  nlohmann::json config() const override {
    return {{"model_type", "openai_privacy_filter"},
            {"architectures", {"OpenAIPrivacyFilterForTokenClassification"}},
            {"vocab_size", kVocab},
            {"hidden_size", shape_.hidden},
            {"intermediate_size", shape_.inner},
            {"num_hidden_layers", kLayers},
            {"num_attention_heads", shape_.heads},
            {"num_key_value_heads", shape_.key_heads},
            {"head_dim", shape_.size},
            {"num_local_experts", shape_.experts},
            {"num_experts_per_tok", shape_.top_k},
            {"sliding_window", shape_.window},
            {"swiglu_limit", shape_.limit},
            {"max_position_embeddings", 512},
            {"pad_token_id", 1},
            {"id2label", {{"0", "O"}, {"1", "B-x"}, {"2", "I-x"}, {"3", "E-x"}, {"4", "S-x"}}},
            {"rope_parameters",
             {{"rope_type", "yarn"},
              {"rope_theta", kTheta},
              {"factor", kFactor},
              {"beta_fast", kFast},
              {"beta_slow", kSlow},
              {"truncate", shape_.whole_bounds},
              {"original_max_position_embeddings", kTrained}}}};
  }

  // Returns [tokens, hidden]. margin: gets the smallest difference, over all tokens, between a chosen expert's logit
  // and the next one's.
  template <class T>
  std::vector<T> forward(const std::vector<int32_t>& ids, double& margin) const {
    margin = 1;
    std::vector<T> x = rows_of<T>("model.embed_tokens.weight", ids, shape_.hidden);
    for (size_t layer = 0; layer < kLayers; ++layer) {
      const std::string p = "model.layers." + std::to_string(layer) + ".";
      add_rows(x, attention(normed(x, p + "input_layernorm"), p + "self_attn."));
      add_rows(x, experts(normed(x, p + "post_attention_layernorm"), p + "mlp.", margin));
    }
    return normed(x, "model.norm");
  }

  template <class T>
  std::vector<T> logits(const std::vector<T>& states) const {
    return dense(states, "score", kLabels);
  }

  static constexpr size_t kVocab = 60, kLayers = 3, kLabels = 5;

 private:
  static constexpr double kTheta = 1000, kFactor = 8, kFast = 4, kSlow = 1, kTrained = 64;

  void add_dense(const std::string& name, size_t in, size_t out) {
    add(name + ".weight", {out, in}, 0.2f);
    add(name + ".bias", {out}, 0.2f);
  }

  template <class T>
  std::vector<T> normed(const std::vector<T>& x, const std::string& name) const {
    return normalized(x, name, shape_.hidden, 1e-5);
  }

  // Returns the pair's angle at position 1, rounded to float32 at the same steps as in the reference.
  float frequency(size_t pair) const {
    const auto size = static_cast<double>(shape_.size);
    const auto number_of = [&](double turns) {
      return size * std::log(kTrained / (turns * 2 * 3.14159265358979323846)) / (2 * std::log(kTheta));
    };
    double low = number_of(kFast), high = number_of(kSlow);
    if (shape_.whole_bounds) low = std::floor(low), high = std::ceil(high);
    low = std::max(low, 0.0);
    high = std::min(high, size - 1);
    const float ramp = (static_cast<float>(pair) - static_cast<float>(low)) / static_cast<float>(high - low);
    const float kept = 1 - std::clamp(ramp, 0.0f, 1.0f);
    const float exponent = static_cast<float>(2 * pair) / static_cast<float>(shape_.size);
    const auto power = static_cast<float>(std::pow(kTheta, static_cast<double>(exponent)));
    return 1 / (static_cast<float>(kFactor) * power) * (1 - kept) + 1 / power * kept;
  }

  // Returns component i of a head at `row` after the rotation, which pairs the components 2p and 2p + 1.
  template <class T>
  T turned(const T* head, size_t row, size_t i) const {
    const auto angle = static_cast<T>(static_cast<float>(row) * frequency(i / 2));
    const T times = static_cast<T>(0.1 * std::log(kFactor) + 1);
    const T even = head[i / 2 * 2], odd = head[i / 2 * 2 + 1];
    return times * (i % 2 == 0 ? even * std::cos(angle) - odd * std::sin(angle)
                               : odd * std::cos(angle) + even * std::sin(angle));
  }

  template <class T>
  std::vector<T> attention(const std::vector<T>& x, const std::string& p) const {
    const size_t rows = x.size() / shape_.hidden, size = shape_.size, width = shape_.heads * size,
                 narrow = shape_.key_heads * size;
    const std::vector<T> q = dense(x, p + "q_proj", width), k = dense(x, p + "k_proj", narrow),
                         v = dense(x, p + "v_proj", narrow);
    std::vector<T> context(rows * width);
    for (size_t head = 0; head < shape_.heads; ++head) {
      const size_t shared = head / (shape_.heads / shape_.key_heads) * size;
      for (size_t query = 0; query < rows; ++query) {
        const size_t first = query < shape_.window ? 0 : query - shape_.window,
                     end = std::min(rows, query + shape_.window + 1);
        std::vector<T> scores;
        for (size_t key = first; key < end; ++key) {
          T sum = 0;
          for (size_t i = 0; i < size; ++i) {
            sum += turned(q.data() + query * width + head * size, query, i) *
                   turned(k.data() + key * narrow + shared, key, i);
          }
          scores.push_back(sum / std::sqrt(static_cast<T>(size)));
        }
        scores.push_back(static_cast<T>(values(p + "sinks")[head]));
        softmax(scores);
        for (size_t key = first; key < end; ++key) {
          for (size_t i = 0; i < size; ++i) {
            context[query * width + head * size + i] += scores[key - first] * v[key * narrow + shared + i];
          }
        }
      }
    }
    return dense(context, p + "o_proj", shape_.hidden);
  }

  template <class T>
  std::vector<T> experts(const std::vector<T>& x, const std::string& p, double& margin) const {
    const size_t hidden = shape_.hidden, inner = shape_.inner;
    const std::vector<float>&up = values(p + "experts.gate_up_proj"),
          &up_bias = values(p + "experts.gate_up_proj_bias"), &down = values(p + "experts.down_proj"),
          &down_bias = values(p + "experts.down_proj_bias");
    const std::vector<T> logits = dense(x, p + "router", shape_.experts);
    const T limit = static_cast<T>(shape_.limit);
    std::vector<T> y(x.size());
    for (size_t row = 0; row < x.size() / hidden; ++row) {
      const T *at = x.data() + row * hidden, *of_row = logits.data() + row * shape_.experts;
      std::vector<size_t> order(shape_.experts);
      std::iota(order.begin(), order.end(), size_t{0});
      std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return of_row[a] > of_row[b]; });
      std::vector<T> weights;
      for (size_t i = 0; i < shape_.top_k; ++i) weights.push_back(of_row[order[i]]);
      if (shape_.top_k < shape_.experts) {
        margin = std::min(margin, static_cast<double>(weights.back() - of_row[order[shape_.top_k]]));
      }
      softmax(weights);
      for (size_t chosen = 0; chosen < shape_.top_k; ++chosen) {
        const size_t e = order[chosen];
        std::vector<T> wide(2 * inner);
        for (size_t j = 0; j < 2 * inner; ++j) {
          for (size_t i = 0; i < hidden; ++i) wide[j] += at[i] * static_cast<T>(up[(e * hidden + i) * 2 * inner + j]);
          wide[j] += static_cast<T>(up_bias[e * 2 * inner + j]);
        }
        for (size_t j = 0; j < inner; ++j) {
          const T gate = std::min(wide[j], limit), linear = std::clamp(wide[inner + j], -limit, limit);
          wide[j] = (linear + 1) * gate / (1 + std::exp(static_cast<T>(-1.702) * gate));
        }
        for (size_t i = 0; i < hidden; ++i) {
          T sum = 0;
          for (size_t j = 0; j < inner; ++j) sum += wide[j] * static_cast<T>(down[(e * inner + j) * hidden + i]);
          y[row * hidden + i] += weights[chosen] * (sum + static_cast<T>(down_bias[e * hidden + i]));
        }
      }
    }
    return y;
  }

  Shape shape_;
};

// Writes the model with a vocabulary and with biases for the transitions between its labels.
inline void write_tiny_privacy_filter(const TemporaryDirectory& directory, double background_to_start = 1) {
  PrivacyModel(7, {.hidden = 24,
                   .heads = 4,
                   .key_heads = 2,
                   .size = 8,
                   .inner = 20,
                   .experts = 5,
                   .top_k = 2,
                   .window = 3,
                   .limit = 0.5})
      .write(directory);
  directory.write("tokenizer_config.json", R"({"tokenizer_class": "BertTokenizer"})");
  directory.write("vocab.txt", tiny_vocabulary(PrivacyModel::kVocab));
  const nlohmann::json biases = {
      {"transition_bias_background_stay", 0.1},    {"transition_bias_background_to_start", background_to_start},
      {"transition_bias_inside_to_continue", 0.2}, {"transition_bias_inside_to_end", -0.1},
      {"transition_bias_end_to_background", 0.3},  {"transition_bias_end_to_start", -0.2}};
  directory.write("viterbi_calibration.json",
                  nlohmann::json({{"operating_points", {{"default", {{"biases", biases}}}}}}).dump());
}

}  // namespace bert::test
