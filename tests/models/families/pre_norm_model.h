// Makes a tiny model with BERT's names and a norm before each block, and computes it in float64 from the description of
// the layer. Shares no code with the library.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "bert/model.h"
#include "tests/models/families/same_bits.h"
#include "tests/support/safetensors_writer.h"
#include "tests/support/temporary_directory.h"

namespace bert::test {

class PreNormModel {
 public:
  // The names of the norms in a layer, and of the norm after all layers.
  struct Names {
    std::string before_attention, before_feed_forward, last;
    std::string embeddings = {};  // norm of the embeddings; empty if there is none
    bool has_types = true;
  };
  static constexpr size_t kVocab = 30, kPositions = 40, kHidden = 12, kHeads = 3, kInner = 20, kLayers = 2;

  // first_position: the position of the first token that is not padding.
  PreNormModel(Names names, size_t first_position) : names_(std::move(names)), first_position_(first_position) {
    add("embeddings.word_embeddings.weight", {kVocab, kHidden});
    add("embeddings.position_embeddings.weight", {kPositions, kHidden});
    if (names_.has_types) add("embeddings.token_type_embeddings.weight", {2, kHidden});
    if (!names_.embeddings.empty()) add_norm(names_.embeddings);
    for (size_t layer = 0; layer < kLayers; ++layer) {
      const std::string at = "encoder.layer." + std::to_string(layer) + ".";
      for (const char* part :
           {"attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"}) {
        add_dense(at + part, kHidden, kHidden);
      }
      add_dense(at + "intermediate.dense", kInner, kHidden);
      add_dense(at + "output.dense", kHidden, kInner);
      add_norm(at + names_.before_attention);
      add_norm(at + names_.before_feed_forward);
    }
    add_norm(names_.last);
  }

  // Expects that the last hidden states are near float64's and have the same bits on each instruction set. rename:
  // changes the name of each tensor of the file.
  void check(const nlohmann::json& settings, const std::function<void(TestTensor&)>& rename = nullptr) const {
    nlohmann::json config = {{"vocab_size", kVocab},        {"max_position_embeddings", kPositions},
                             {"hidden_size", kHidden},      {"num_attention_heads", kHeads},
                             {"intermediate_size", kInner}, {"num_hidden_layers", kLayers},
                             {"type_vocab_size", 2}};
    config.update(settings);
    const TemporaryDirectory directory;
    directory.write("config.json", config.dump());
    std::vector<TestTensor> tensors = tensors_;
    for (TestTensor& tensor : tensors) {
      if (rename) rename(tensor);
    }
    directory.write("model.safetensors", image_of(tensors));
    const std::vector<int32_t> one = {2, 7, 9, 7, 20, 3}, two = {2, 29, 3};
    const std::vector<TokenSequence> texts = {{one}, {two}};
    const auto found = expect_same_bits_everywhere(directory.path(), texts, Precision::kStored);
    for (size_t i = 0; i < texts.size(); ++i) {
      EXPECT_TRUE(within(1e-5, found[i].last_hidden_state, encode(texts[i].ids)));
    }
  }

 private:
  using Rows = std::vector<double>;

  void add(const std::string& name, const std::vector<size_t>& shape) {
    size_t size = 1;
    for (const size_t dimension : shape) size *= dimension;
    std::uniform_real_distribution<float> numbers(-0.5f, 0.5f);
    std::vector<float> values(size);
    for (float& value : values) value = numbers(random_);
    tensors_.push_back({name, "F32", shape, bytes_of(values)});
    values_[name].assign(values.begin(), values.end());
  }
  void add_dense(const std::string& name, size_t out, size_t in) {
    add(name + ".weight", {out, in});
    add(name + ".bias", {out});
  }
  void add_norm(const std::string& name) {
    add(name + ".weight", {kHidden});
    add(name + ".bias", {kHidden});
  }

  Rows dense(const Rows& x, const std::string& name, size_t in) const {
    const Rows& weight = values_.at(name + ".weight");
    const Rows& bias = values_.at(name + ".bias");
    Rows result;
    for (size_t row = 0; row < x.size() / in; ++row) {
      for (size_t out = 0; out < bias.size(); ++out) {
        double sum = bias[out];
        for (size_t i = 0; i < in; ++i) sum += weight[out * in + i] * x[row * in + i];
        result.push_back(sum);
      }
    }
    return result;
  }

  Rows norm(Rows x, const std::string& name) const {
    for (size_t row = 0; row < x.size(); row += kHidden) {
      double mean = 0, variance = 0;
      for (size_t i = 0; i < kHidden; ++i) mean += x[row + i] / kHidden;
      for (size_t i = 0; i < kHidden; ++i) variance += (x[row + i] - mean) * (x[row + i] - mean) / kHidden;
      for (size_t i = 0; i < kHidden; ++i) {
        x[row + i] = (x[row + i] - mean) / std::sqrt(variance + 1e-5) * values_.at(name + ".weight")[i] +
                     values_.at(name + ".bias")[i];
      }
    }
    return x;
  }

  Rows attention(const Rows& x, const std::string& at) const {
    const Rows query = dense(x, at + "attention.self.query", kHidden),
               key = dense(x, at + "attention.self.key", kHidden),
               value = dense(x, at + "attention.self.value", kHidden);
    constexpr size_t kWidth = kHidden / kHeads;
    const size_t tokens = x.size() / kHidden;
    Rows mixed(x.size());
    for (size_t head = 0; head < kHeads; ++head) {
      for (size_t a = 0; a < tokens; ++a) {
        Rows weights(tokens);
        double sum = 0;
        for (size_t b = 0; b < tokens; ++b) {
          double score = 0;
          for (size_t i = head * kWidth; i < (head + 1) * kWidth; ++i)
            score += query[a * kHidden + i] * key[b * kHidden + i];
          sum += weights[b] = std::exp(score / std::sqrt(static_cast<double>(kWidth)));
        }
        for (size_t b = 0; b < tokens; ++b) {
          for (size_t i = head * kWidth; i < (head + 1) * kWidth; ++i) {
            mixed[a * kHidden + i] += weights[b] / sum * value[b * kHidden + i];
          }
        }
      }
    }
    return dense(mixed, at + "attention.output.dense", kHidden);
  }

  Rows encode(std::span<const int32_t> ids) const {
    Rows x;
    for (size_t token = 0; token < ids.size(); ++token) {
      for (size_t i = 0; i < kHidden; ++i) {
        x.push_back(values_.at("embeddings.word_embeddings.weight")[static_cast<size_t>(ids[token]) * kHidden + i] +
                    values_.at("embeddings.position_embeddings.weight")[(first_position_ + token) * kHidden + i]);
        if (names_.has_types) x.back() += values_.at("embeddings.token_type_embeddings.weight")[i];
      }
    }
    if (!names_.embeddings.empty()) x = norm(x, names_.embeddings);
    const auto add_to = [&](const Rows& change) {
      for (size_t i = 0; i < x.size(); ++i) x[i] += change[i];
    };
    for (size_t layer = 0; layer < kLayers; ++layer) {
      const std::string at = "encoder.layer." + std::to_string(layer) + ".";
      add_to(attention(norm(x, at + names_.before_attention), at));
      Rows inner = dense(norm(x, at + names_.before_feed_forward), at + "intermediate.dense", kHidden);
      for (double& value : inner) value *= 0.5 * (1 + std::erf(value / std::sqrt(2.0)));
      add_to(dense(inner, at + "output.dense", kInner));
    }
    return norm(x, names_.last);
  }

  Names names_;
  size_t first_position_;
  std::mt19937 random_{1};
  std::vector<TestTensor> tensors_;
  std::map<std::string, Rows> values_;
};

}  // namespace bert::test
