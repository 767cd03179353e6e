// Names of activations in configurations, including aliases, as in the reference library (transformers 4.57, ACT2FN).
// Stateless.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "engine/kernels/activation.h"

namespace bert {

struct NamedActivation {
  std::string_view name;
  Activation activation;
};

std::span<const NamedActivation> named_activations();  // in alphabetical order
std::optional<Activation> find_activation(std::string_view name);

}  // namespace bert
