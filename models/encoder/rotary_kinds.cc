#include "models/encoder/rotary_kinds.h"

#include "models/config/positions.h"

namespace bert {
namespace {

Rotary rotary_of(const RotaryConfig& config, size_t head_dim) {
  const auto scaling = [&] {
    switch (config.scaling) {
      case RotaryScaling::kLinear:
        return Rotary::Scaling::kLinear;
      case RotaryScaling::kNtk:
        return Rotary::Scaling::kNtk;
      case RotaryScaling::kDynamic:
        return Rotary::Scaling::kDynamic;
      case RotaryScaling::kYarn:
        return Rotary::Scaling::kYarn;
      case RotaryScaling::kLlama3:
        return Rotary::Scaling::kLlama3;
      case RotaryScaling::kNone:
        break;
    }
    return Rotary::Scaling::kNone;
  };
  return Rotary(head_dim, {.theta = config.theta,
                           .scaling = scaling(),
                           .factor = config.factor,
                           .trained_length = config.trained_length,
                           .wide_theta = config.wide_theta,
                           .fast = config.beta_fast,
                           .slow = config.beta_slow,
                           .whole_bounds = config.truncate,
                           .attention_factor = config.attention_factor});
}

}  // namespace

std::vector<Rotary> rotary_kinds(const ModelConfig& config) {
  std::vector<Rotary> kinds;
  if (position_scheme(config).distances != ScoreDistances::kRotary) return kinds;
  kinds.push_back(rotary_of(config.rotary, config.head_dim()));
  if (!config.local_layers.empty()) kinds.push_back(rotary_of(config.local_rotary, config.head_dim()));
  return kinds;
}

}  // namespace bert
