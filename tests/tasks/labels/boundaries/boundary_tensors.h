// Makes tensors from a seed for models that find entities by boundaries, and computes their formulas in float64.
#pragma once

#include <string>
#include <vector>

#include "tasks/labels/boundaries/boundary_settings.h"
#include "tasks/labels/boundaries/span_content.h"
#include "tests/tasks/labels/label_tensors.h"

namespace bert::test {

inline constexpr size_t kEncoderWidth = 6, kTextWords = 7, kTextLabels = 3;

inline BoundarySettings small_boundaries() {
  BoundarySettings settings;
  settings.width = 8;
  settings.pair_width = 12;
  settings.refinement_width = 10;
  settings.compatibility_heads = 3;
  settings.content.width = 5;
  return settings;
}

// Rows of numbers in float64.
using DoubleRows = std::vector<Doubles>;

inline double dot_of(const Doubles& a, const Doubles& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

inline Doubles joined(Doubles a, const Doubles& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

class BoundaryTensors : public LabelTensors {
 public:
  explicit BoundaryTensors(const BoundarySettings& chosen) : settings(chosen) {
    words = random().numbers(kTextWords * kEncoderWidth);
    labels = random().numbers(kTextLabels * kEncoderWidth);
  }

  void add_norm(const std::string& name, size_t width) {
    const NormWeights& norm = norms_.emplace(name, NormWeights(width, random())).first->second;
    add_numbers(name + ".weight", {width}, norm.weight);
    add_numbers(name + ".bias", {width}, norm.bias);
  }
  void add_numbers(const std::string& name, const std::vector<size_t>& shape, const std::vector<float>& values) {
    LabelTensors::add({name, "F32", shape, bytes_of(values)});
  }
  using LabelTensors::add;

  void add_states();
  void add_scores();
  void add_pairs();
  void add_content(const std::string& scorer);

  Doubles norm(const std::string& name, const Doubles& x) const { return norms_.at(name).exact(x, 1e-5); }
  Doubles dense(const std::string& name, const Doubles& x) const { return (*this)[name].exact(x); }
  // Returns each row after the layer.
  DoubleRows dense_rows(const std::string& name, const DoubleRows& x) const {
    DoubleRows y;
    for (const Doubles& row : x) y.push_back(dense(name, row));
    return y;
  }
  DoubleRows word_rows() const { return rows_of(words, kEncoderWidth); }
  DoubleRows label_rows() const { return rows_of(labels, kEncoderWidth); }
  static DoubleRows rows_of(const std::vector<float>& values, size_t width) {
    DoubleRows rows;
    for (size_t at = 0; at < values.size(); at += width) {
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(at);
      rows.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(width));
    }
    return rows;
  }
  ConstMatrixView word_view() const { return {words.data(), kTextWords, kEncoderWidth, kEncoderWidth}; }
  ConstMatrixView label_view() const { return {labels.data(), kTextLabels, kEncoderWidth, kEncoderWidth}; }

  // Returns the content of a span by definition: the mean and log(sum(exp)) of the words' values, normalised.
  Doubles content(const std::string& scorer, const BoundaryPair& pair) const {
    Doubles mean(settings.content.width), maximum(settings.content.width);
    for (size_t word = pair.start; word < pair.end; ++word) {
      const Doubles values = dense(scorer + "content_pooler.value_projection", word_rows()[word]);
      for (size_t i = 0; i < mean.size(); ++i) {
        mean[i] += values[i] / static_cast<double>(pair.words());
        maximum[i] += std::exp(values[i]);
      }
    }
    for (double& value : maximum) value = std::log(value);
    return norm(scorer + "content_pooler.layer_norm", settings.content.has_maximum ? joined(mean, maximum) : mean);
  }

  BoundarySettings settings;
  std::vector<float> words, labels;
  std::vector<float> before, after;  // the outer states

 private:
  std::map<std::string, NormWeights> norms_;
};

inline void BoundaryTensors::add_states() {
  const std::string all = "boundary_head.boundary_encoder.";
  const size_t own = settings.width;
  before = random().numbers(kEncoderWidth);
  after = random().numbers(kEncoderWidth);
  add_numbers(all + "bos_state", {kEncoderWidth}, before);
  add_numbers(all + "eos_state", {kEncoderWidth}, after);
  add(all + "left_projection", own, kEncoderWidth);
  add(all + "right_projection", own, kEncoderWidth);
  add(all + "output_projection", own, 2 * own);
  add_norm(all + "layer_norm", own);
  for (size_t i = 0; i < settings.attention_layers; ++i) {
    const std::string name = all + "attention_blocks." + std::to_string(i) + ".";
    add_norm(name + "norm", own);
    add(name + "qkv_projection", 3 * own, own);
    add(name + "output_projection", own, own);
  }
  for (size_t i = 0; i < settings.refinement_layers; ++i) {
    const std::string name = all + "refinement_blocks." + std::to_string(i) + ".";
    add_norm(name + "norm", own);
    add(name + "input_projection", 2 * settings.refinement_width, own);
    add(name + "output_projection", own, settings.refinement_width);
  }
}

inline void BoundaryTensors::add_scores() {
  const std::string all = "boundary_head.boundary_query_head.";
  for (const char* name : {"start", "end"}) {
    add(all + name + "_boundary_projection", settings.width, settings.width);
    add(all + name + "_query_projection", settings.width, kEncoderWidth);
  }
  add(all + "inside_text_projection", settings.width, kEncoderWidth);
  add(all + "inside_query_projection", settings.width, kEncoderWidth);
}

inline void BoundaryTensors::add_content(const std::string& scorer) {
  if (!settings.has_content) return;
  add(scorer + "content_pooler.value_projection", settings.content.width, kEncoderWidth);
  add_norm(scorer + "content_pooler.layer_norm", settings.content.outputs());
}

inline void BoundaryTensors::add_pairs() {
  const std::string proposer = "boundary_head.boundary_proposer.", scorer = "boundary_head.pair_scorer.";
  const size_t own = settings.width, pair = settings.pair_width, parts = settings.rotates_ends ? 2 : 1;
  add(proposer + "start_pair_projection", own, own);
  add(proposer + "end_key_projection", own, own);
  add(proposer + "start_query_projection", own / parts, kEncoderWidth);
  add(scorer + "start_endpoint_projection", pair, own);
  add(scorer + "end_endpoint_projection", pair, own);
  add(scorer + "query_gate", pair / parts, kEncoderWidth);
  add(scorer + "compat_mix", 1, settings.compatibility_heads);
  add(scorer + "length_query_projection", 3, kEncoderWidth);
  if (settings.has_differences) add(scorer + "endpoint_difference_projection", 1, 2 * pair);
  if (settings.label_weighs_inside) {
    add(scorer + "inside_weight", 1, kEncoderWidth);
  } else {
    add_numbers(scorer + "inside_weight", {}, {1.25f});
  }
  add_content(scorer);
  if (settings.has_content) {
    add(scorer + "content_query_projection", settings.content.outputs(), kEncoderWidth);
    add(scorer + "content_bias", 1, settings.content.outputs());
  }
}

}  // namespace bert::test
