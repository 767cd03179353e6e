// The activation functions of feed-forward layers and heads. Header without dependencies: the files built with ISA
// flags include it.
#pragma once

namespace bert {

// x -> …; Phi is the standard normal distribution function, sigma the logistic function.
enum class Activation {
  kIdentity,
  kGelu,       // x Phi(x), the exact (erf) form
  kGeluTanh,   // ½ x (1 + tanh(√(2/π) (x + 0.044715 x³)))
  kGeluFast,   // ½ x (1 + tanh(0.7978845608 x (1 + 0.044715 x²)))
  kGelu10,     // the exact form, clipped to [-10, 10]
  kQuickGelu,  // x sigma(1.702 x)
  kRelu,
  kRelu2,      // relu(x)²
  kRelu6,      // relu(x), at most 6
  kLeakyRelu,  // slope 0.01 below 0
  kSilu,       // x sigma(x)
  kSigmoid,
  kTanh,
  kMish,     // x tanh(log(1 + exp(x)))
  kLaplace,  // Phi((x - 0.707107) / 0.282095)
};

}  // namespace bert
