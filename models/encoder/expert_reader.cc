#include "models/encoder/expert_reader.h"

#include <array>
#include <span>
#include <string>

namespace bert {
namespace {

// The router's choice needs float32, and the second layers have no scale per output, so they stay floats even if the
// first layers have 8 bits.
Experts plain_experts(const ModelConfig& config, const EncoderNames& names, const LayerNumbers& numbers,
                      Activation activation, WeightReader& weights) {
  const size_t hidden = config.hidden_size, intermediate = config.intermediate_size;
  const size_t count = config.experts->experts, rows = count * intermediate;
  Experts experts;
  experts.top_k = config.experts->top_k;
  const std::span<const float> router =
      weights.floats(name_of(names.router, numbers) + ".weight", count, hidden, WeightRole::kProjection);
  experts.router.parts = {{{.data = router.data(), .rows = count, .cols = hidden}, nullptr}};
  const WeightView up = weights.matrix(name_of(names.experts_up, numbers), rows, hidden, WeightRole::kProjection);
  const WeightView down = weights.transposed(name_of(names.experts_down, numbers), std::array{rows, hidden},
                                             intermediate, WeightRole::kProjection);
  experts.bias = weights.vector(name_of(names.experts_bias, numbers), hidden, WeightRole::kProjection).data();
  for (size_t expert = 0; expert < count; ++expert) {
    experts.up.push_back({{{up.row_range(expert * intermediate, intermediate), nullptr}}, activation});
    experts.down.push_back({{{down.row_range(expert * hidden, hidden), nullptr}}});
  }
  return experts;
}

// The router's choice needs float32 here too.
Experts gated_experts(const ModelConfig& config, const EncoderNames& names, const LayerNumbers& numbers,
                      Activation activation, WeightReader& weights) {
  const size_t hidden = config.hidden_size, intermediate = config.intermediate_size;
  const size_t count = config.experts->experts;
  const std::string router = name_of(names.router, numbers), up_name = name_of(names.experts_up, numbers),
                    down_name = name_of(names.experts_down, numbers);
  Experts experts;
  experts.top_k = config.experts->top_k;
  experts.softmax_of_chosen = true;
  experts.gate = Gate{Gate::Activated::kFirst, activation, static_cast<float>(*config.experts->gate_limit)};
  const std::span<const float> rows = weights.floats(router + ".weight", count, hidden, WeightRole::kProjection);
  experts.router.parts = {{{.data = rows.data(), .rows = count, .cols = hidden},
                           weights.vector(router + ".bias", count, WeightRole::kProjection).data()}};
  const WeightView up = weights.expert_weights(up_name, count, hidden, 2 * intermediate, WeightRole::kProjection);
  const WeightView down = weights.expert_weights(down_name, count, intermediate, hidden, WeightRole::kProjection);
  const float* up_bias = weights.floats(up_name + "_bias", count, 2 * intermediate, WeightRole::kProjection).data();
  const float* down_bias = weights.floats(down_name + "_bias", count, hidden, WeightRole::kProjection).data();
  for (size_t i = 0; i < count; ++i) {
    experts.up.push_back({{{up.row_range(i * 2 * intermediate, 2 * intermediate), up_bias + i * 2 * intermediate}}});
    experts.down.push_back({{{down.row_range(i * hidden, hidden), down_bias + i * hidden}}});
  }
  return experts;
}

}  // namespace

Experts read_experts(const ModelConfig& config, const EncoderNames& names, const LayerNumbers& numbers,
                     Activation activation, WeightReader& weights) {
  const auto read = config.experts->gate_limit ? gated_experts : plain_experts;
  return read(config, names, numbers, activation, weights);
}

}  // namespace bert
