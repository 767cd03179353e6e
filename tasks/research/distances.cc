// Computes the effect of rotary positions, sinusoids and windows by the distance of two tokens.
#include "tasks/analysis/positions.h"

#include <algorithm>

#include "bert/experiments.h"
#include "engine/base/elementary.h"

namespace bert {
namespace {

// Longer distances show nothing new.
constexpr size_t kFarthest = 32768;

DistanceCosines cosines_of(const ScorePositions& part, double theta, std::vector<float> frequencies, size_t farthest) {
  DistanceCosines result;
  result.layers = part.layers;
  result.window = part.window;
  result.theta = theta;
  result.cosines = analysis::mean_cosines(frequencies, farthest);
  result.frequencies = std::move(frequencies);
  return result;
}

}  // namespace

std::vector<DistanceCosines> distance_cosines(const ModelConfig& config) {
  std::vector<DistanceCosines> result;
  if (!has_score_formula(config)) return result;
  const std::vector<ScorePositions> parts = score_positions(config);
  for (size_t i = 0; i < parts.size(); ++i) {
    const ScorePositions& part = parts[i];
    if (part.frequencies.empty()) continue;
    const RotaryConfig& rotary = part.window ? config.local_rotary : config.rotary;
    if (part.layers.empty() || rotary.scaling != RotaryScaling::kDynamic) {
      const double theta = part.layers.empty() ? 10000 : rotary.theta;
      const size_t longest = std::min(config.max_position_embeddings, kFarthest);
      result.push_back(cosines_of(part, theta, part.frequencies, part.window.value_or(longest - 1)));
      continue;
    }
    for (const size_t times : {1, 2, 4}) {
      const size_t length = times * rotary.trained_length;
      const std::vector<float> frequencies = score_positions(config, length)[i].frequencies;
      // Pair 1 has the frequency theta^(-1 / pairs).
      const auto pairs = static_cast<double>(frequencies.size());
      const double theta = pairs > 1 ? power_of(double{frequencies[1]}, -pairs) : rotary.theta;
      result.push_back(cosines_of(part, theta, frequencies, std::min(length, kFarthest) - 1));
      result.back().text_length = length;
    }
  }
  return result;
}

std::vector<LayerReach> layer_reach(std::span<const ScorePositions> positions) {
  size_t layers = 0;
  for (const ScorePositions& part : positions) {
    for (const size_t layer : part.layers) layers = std::max(layers, layer + 1);
  }
  std::vector<std::optional<size_t>> windows(layers);
  for (const ScorePositions& part : positions) {
    for (const size_t layer : part.layers) windows[layer] = part.window;
  }
  const std::vector<std::optional<size_t>> reach = analysis::reach_by_layer(windows);
  std::vector<LayerReach> result;
  for (size_t layer = 0; layer < layers; ++layer) result.push_back({windows[layer], reach[layer]});
  return result;
}

}  // namespace bert
