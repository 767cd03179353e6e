#include "models/config/activations.h"

namespace bert {
namespace {

constexpr NamedActivation kActivations[] = {
    {"gelu", Activation::kGelu},
    {"gelu_10", Activation::kGelu10},
    {"gelu_accurate", Activation::kGeluTanh},
    {"gelu_fast", Activation::kGeluFast},
    {"gelu_new", Activation::kGeluTanh},
    {"gelu_python", Activation::kGelu},
    {"gelu_python_tanh", Activation::kGeluTanh},
    {"gelu_pytorch_tanh", Activation::kGeluTanh},
    {"laplace", Activation::kLaplace},
    {"leaky_relu", Activation::kLeakyRelu},
    {"linear", Activation::kIdentity},
    {"mish", Activation::kMish},
    {"quick_gelu", Activation::kQuickGelu},
    {"relu", Activation::kRelu},
    {"relu2", Activation::kRelu2},
    {"relu6", Activation::kRelu6},
    {"sigmoid", Activation::kSigmoid},
    {"silu", Activation::kSilu},
    {"swish", Activation::kSilu},
    {"tanh", Activation::kTanh},
};

}  // namespace

std::span<const NamedActivation> named_activations() { return kActivations; }

std::optional<Activation> find_activation(std::string_view name) {
  for (const NamedActivation& known : kActivations) {
    if (known.name == name) return known.activation;
  }
  return std::nullopt;
}

}  // namespace bert
