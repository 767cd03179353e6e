#include "models/encoder/narrow_reader.h"

#include <algorithm>
#include <span>

namespace bert {

void NarrowReader::read_around(LayerSpec& layer, const LayerNumbers& numbers) {
  const size_t hidden = config_.hidden_size, width = config_.layer_width(), inner = config_.intermediate_size;
  const std::string entry = name_of(names_.bottleneck, numbers) + ".input",
                    exit = name_of(names_.bottleneck_exit, numbers);
  weights_.ignore(name_of(names_.bottleneck, numbers) + ".attention.*");  // unused if queries, keys and values share
                                                                          // the input
  layer.bottleneck = Bottleneck{.enter = {{parameters_.dense(entry + ".dense", width, hidden)}},
                                .norm_of_entry = norm(entry, width),
                                .leave = {{parameters_.dense(exit + ".dense", hidden, width)}},
                                .norm_after = norm(exit, hidden)};
  for (size_t i = 0; i + 1 < config_.bottleneck->feed_forwards; ++i) {
    const std::string name = name_of(names_.first_feed_forwards, numbers) + "." + std::to_string(i);
    FeedForwardBlock block;
    block.network.up = {{parameters_.dense(name + ".intermediate.dense", inner, width)}, activation_};
    block.network.down = {{parameters_.dense(name + ".output.dense", width, inner)}};
    block.norm_after = norm(name + ".output", width);
    layer.feed_forwards.push_back(std::move(block));
  }
}

std::vector<LinearPart> NarrowReader::qkv(const LayerNumbers& numbers) {
  const bool is_shared = config_.bottleneck->shares_entry;
  const std::string entry = name_of(names_.bottleneck, numbers) + (is_shared ? ".input" : ".attention");
  const std::string value = name_of(names_.value, numbers);
  return {product(name_of(names_.query, numbers), entry), product(name_of(names_.key, numbers), entry),
          is_shared ? product(value, entry) : parameters_.dense(value, config_.layer_width(), config_.hidden_size)};
}

// Returns the product after(scale * entry(x) + shift) as one layer.
LinearPart NarrowReader::product(const std::string& after, const std::string& entry) {
  const size_t hidden = config_.hidden_size, width = config_.layer_width();
  const auto matrix = [&](const std::string& name, size_t cols) {
    return weights_.floats(name + ".weight", width, cols, WeightRole::kProjection);
  };
  const auto vector = [&](const std::string& name) { return weights_.vector(name, width, WeightRole::kProjection); };
  const std::span<const float> outer = matrix(after, width), inner = matrix(entry + ".dense", hidden);
  const std::span<const float> outer_bias = vector(after + ".bias"), inner_bias = vector(entry + ".dense.bias");
  const std::span<const float> scale = vector(entry + ".LayerNorm.weight"), shift = vector(entry + ".LayerNorm.bias");
  std::vector<float> weight, bias;
  std::vector<double> row(hidden);
  for (size_t out = 0; out < width; ++out) {
    std::fill(row.begin(), row.end(), 0.0);
    double sum = outer_bias[out];
    for (size_t i = 0; i < width; ++i) {
      const double factor = outer[out * width + i];
      sum += factor * (double{scale[i]} * inner_bias[i] + shift[i]);
      for (size_t j = 0; j < hidden; ++j) row[j] += factor * scale[i] * inner[i * hidden + j];
    }
    for (const double value : row) weight.push_back(static_cast<float>(value));
    bias.push_back(static_cast<float>(sum));
  }
  return {{.data = weights_.keep(weight).data(), .rows = width, .cols = hidden}, weights_.keep(bias).data()};
}

}  // namespace bert
