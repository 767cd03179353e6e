// The activation functions of feed-forward layers and heads. Header without dependencies: the files built with ISA
// flags include it.
#pragma once

namespace bert {

// Functions of x; Phi is the standard normal distribution function, sigma the logistic function.
enum class Activation {
  kIdentity,
  kGelu,           // x Phi(x), the exact (erf) form
  kGeluOfFewBits,  // kGelu to 4e-6, for results that are rounded to 8 bits or bfloat16 next
  kGeluTanh,       // ½ x (1 + tanh(√(2/π) (x + 0.044715 x³)))
  kGeluFast,       // ½ x (1 + tanh(0.7978845608 x (1 + 0.044715 x²)))
  kGelu10,         // the exact form, clipped to [-10, 10]
  kQuickGelu,      // x sigma(1.702 x)
  kRelu,
  kRelu2,      // relu(x)²
  kRelu6,      // relu(x), at most 6
  kLeakyRelu,  // slope 0.01 below 0
  kSilu,       // x sigma(x)
  kSigmoid,
  kTanh,
  kMish,         // x tanh(log(1 + exp(x)))
  kLaplace,      // Phi((x - 0.707107) / 0.282095)
  kElu,          // exp(x) - 1 below 0, else x
  kSelu,         // 1.0507 times: 1.67326 (exp(x) - 1) below 0, else x
  kRrelu,        // slope 11/48 below 0: the mean of the random slopes of training
  kHardSigmoid,  // relu6(x + 3) / 6
  kHardSwish,    // x relu6(x + 3) / 6
  kHardTanh,     // clipped to [-1, 1]
  kHardShrink,   // 0 from -0.5 to 0.5, else x
  kSoftShrink,   // x less its part in [-0.5, 0.5]
  kTanhShrink,   // x - tanh(x)
  kSoftsign,     // x / (1 + |x|)
  kSoftplus,     // log(1 + exp(x))
  kLogSigmoid,   // -log(1 + exp(-x))
  kLog1pRelu,    // log(1 + relu(x)); NaN for infinity
};

}  // namespace bert
