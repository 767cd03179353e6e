// Measures the errors of exp, tanh, the normal tail and the activations against float64's libm, over dense ranges.
// docs/NUMERICS.md has the results. An ulp is the distance of neighbouring floats at the exact value.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>

#include "engine/kernels/isa/lanes_portable.h"
// the Lanes first
#include "engine/kernels/isa/math.inl.h"
#include "engine/kernels/kernel_table.h"
#include "tests/support/compare.h"

namespace bert {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

double ulp_at(double exact) {
  const int exponent = std::max(std::ilogb(exact), -126);
  return std::ldexp(1.0, exponent - 23);
}

struct Errors {
  double ulp = 0;
  float ulp_at = 0;
  double absolute = 0;
  float absolute_at = 0;
};

// Returns the errors for every `step`-th float from 0 to `end`, with both signs if `both_signs`.
template <class Function, class Exact>
Errors measure(float end, bool both_signs, uint32_t step, const Function& function, const Exact& exact) {
  Errors worst;
  const uint32_t last = std::bit_cast<uint32_t>(std::abs(end));
  for (const float sign : {1.0f, -1.0f}) {
    if (!both_signs && sign != std::copysign(1.0f, end)) continue;
    for (uint32_t bits = 0; bits <= last;) {
      Lanes x;
      for (float& lane : x.v) {
        lane = sign * std::bit_cast<float>(std::min(bits, last));
        bits += step;
      }
      const Lanes got = function(x);
      for (size_t i = 0; i < 16; ++i) {
        const double wanted = exact(static_cast<double>(x.v[i]));
        const double error = std::abs(static_cast<double>(got.v[i]) - wanted);
        const double ulp = error == 0 ? 0 : error / ulp_at(wanted);
        if (!(ulp <= worst.ulp)) worst.ulp = ulp, worst.ulp_at = x.v[i];
        if (!(error <= worst.absolute)) worst.absolute = error, worst.absolute_at = x.v[i];
      }
    }
  }
  return worst;
}

// Prints the errors and records them in the test's report.
void report(const char* what, const Errors& errors) {
  char line[200];
  std::snprintf(line, sizeof(line), "%.3f ulp at %.9g, %.3g absolute at %.9g", errors.ulp,
                static_cast<double>(errors.ulp_at), errors.absolute, static_cast<double>(errors.absolute_at));
  std::printf("%s: at most %s\n", what, line);
  ::testing::Test::RecordProperty(what, line);
}

double phi(double x) { return 0.5 * std::erfc(-x * std::sqrt(0.5)); }  // the normal distribution function

TEST(Exp, IsWithinItsError) {
  // First the results that are normal floats, then those down to the smallest float.
  const auto exact = [](double x) { return std::exp(x); };
  const Errors up = measure(
      88.0f, false, 1021, [](Lanes x) { return exp(x); }, exact);
  const Errors down = measure(
      -87.0f, false, 1021, [](Lanes x) { return exp(x); }, exact);
  const Errors denormal = measure(
      -103.9f, false, 1021, [](Lanes x) { return exp(x); }, exact);
  report("exp_0_to_88", up);
  report("exp_minus_87_to_0", down);
  report("exp_minus_104_to_0", denormal);
  EXPECT_LE(up.ulp, 1.0);
  EXPECT_LE(down.ulp, 1.0);
  EXPECT_LE(denormal.ulp, 1.0);
}

TEST(Exp, EndsInZeroInfinityAndNaN) {
  const auto exp_of = [](float x) { return exp(set1(x)).v[0]; };
  EXPECT_EQ(exp_of(0.0f), 1.0f);
  EXPECT_EQ(exp_of(-0.0f), 1.0f);
  EXPECT_EQ(exp_of(kInfinity), kInfinity);
  EXPECT_EQ(exp_of(89.0f), kInfinity);
  EXPECT_EQ(exp_of(-kInfinity), 0.0f);
  EXPECT_EQ(exp_of(-104.0f), 0.0f);
  EXPECT_EQ(exp_of(std::numeric_limits<float>::max()), kInfinity);
  EXPECT_EQ(exp_of(std::numeric_limits<float>::lowest()), 0.0f);
  EXPECT_TRUE(std::isnan(exp_of(kNaN)));
}

TEST(Tanh, IsWithinItsError) {
  const Errors errors = measure(
      20.0f, true, 2039, [](Lanes x) { return tanh(x); }, [](double x) { return std::tanh(x); });
  report("tanh", errors);
  EXPECT_LE(errors.ulp, 1.5);
}

TEST(Tanh, EndsInOneAndKeepsZeroAndNaN) {
  const auto tanh_of = [](float x) { return tanh(set1(x)).v[0]; };
  EXPECT_EQ(tanh_of(kInfinity), 1.0f);
  EXPECT_EQ(tanh_of(-kInfinity), -1.0f);
  EXPECT_EQ(tanh_of(std::numeric_limits<float>::max()), 1.0f);
  EXPECT_EQ(tanh_of(0.0f), 0.0f);
  EXPECT_EQ(tanh_of(-0.0f), 0.0f);  // the sign is not checked
  EXPECT_TRUE(test::same_bits(tanh_of(0x1p-149f), 0x1p-149f));
  EXPECT_TRUE(std::isnan(tanh_of(kNaN)));
}

TEST(Log1Plus, IsWithinItsError) {
  const Errors errors = measure(
      std::numeric_limits<float>::max(), false, 1021, [](Lanes x) { return log_1_plus(x); },
      [](double x) { return std::log1p(x); });
  report("log_1_plus", errors);
  EXPECT_LE(errors.ulp, 1.5);
}

TEST(Log1Plus, KeepsZeroAndNaN) {
  EXPECT_EQ(log_1_plus(set1(0.0f)).v[0], 0.0f);
  EXPECT_TRUE(test::same_bits(log_1_plus(set1(0x1p-140f)).v[0], 0x1p-140f));
  EXPECT_TRUE(std::isnan(log_1_plus(set1(kNaN)).v[0]));
}

TEST(NormalTail, KeepsItsRelativeAccuracyFarOut) {
  // Phi(-13) is 6e-39. Further results are denormal.
  const auto exact = [](double t) { return phi(-t); };
  const Errors normal = measure(
      12.9f, false, 1021, [](Lanes t) { return normal_tail(t); }, exact);
  const Errors all = measure(
      14.5f, false, 1021, [](Lanes t) { return normal_tail(t); }, exact);
  report("normal_tail_0_to_12.9", normal);
  report("normal_tail_0_to_14.5", all);
  EXPECT_LE(normal.ulp, 7.0);
  EXPECT_LE(all.ulp, 7.0);
  EXPECT_LE(all.absolute, 2e-7);
  EXPECT_EQ(normal_tail(set1(kInfinity)).v[0], 0.0f);
  EXPECT_TRUE(std::isnan(normal_tail(set1(kNaN)).v[0]));
}

TEST(Gelu, IsWithinItsError) {
  const Errors errors = measure(
      20.0f, true, 2039, [](Lanes x) { return gelu(x); }, [](double x) { return x * phi(x); });
  const Errors right = measure(
      20.0f, false, 2039, [](Lanes x) { return gelu(x); }, [](double x) { return x * phi(x); });
  report("gelu", errors);
  report("gelu_right_of_0", right);
  EXPECT_LE(errors.ulp, 8.5);
  EXPECT_LE(errors.absolute, 1e-6);
  EXPECT_LE(right.ulp, 6.0);
}

struct ActivationCase {
  const char* name;
  Activation activation;
  double (*exact)(double);
  double tolerance;  // the largest absolute error for |x| <= 20
};

double sigma(double x) { return 1 / (1 + std::exp(-x)); }
double relu_of(double x) { return std::max(x, 0.0); }
// ½ (1 + tanh(u)) equals sigma(2u), which avoids cancellation.
double tanh_gelu(double x) { return x * sigma(2 * std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)); }
double fast_gelu(double x) { return x * sigma(2 * x * 0.7978845608 * (1 + 0.044715 * x * x)); }

double selu(double x) { return 1.0507009873554804934 * (x < 0 ? 1.6732632423543772848 * std::expm1(x) : x); }
// Near 0 the difference loses digits even in float64, so the series is used.
double tanh_shrink_of(double x) {
  return std::abs(x) < 0.01 ? x * x * x * (1.0 / 3 - x * x * 2 / 15) : x - std::tanh(x);
}
double hard_sigmoid_of(double x) { return std::clamp(x + 3, 0.0, 6.0) / 6; }

const ActivationCase kCases[] = {
    {"identity", Activation::kIdentity, [](double x) { return x; }, 0},
    {"gelu", Activation::kGelu, [](double x) { return x * phi(x); }, 1e-6},
    {"gelu_of_few_bits", Activation::kGeluOfFewBits, [](double x) { return x * phi(x); }, 4e-6},
    {"gelu_tanh", Activation::kGeluTanh, tanh_gelu, 1e-6},
    {"gelu_fast", Activation::kGeluFast, fast_gelu, 1e-6},
    {"gelu_10", Activation::kGelu10, [](double x) { return std::clamp(x * phi(x), -10.0, 10.0); }, 1e-6},
    {"quick_gelu", Activation::kQuickGelu, [](double x) { return x * sigma(1.702 * x); }, 1e-6},
    {"relu", Activation::kRelu, relu_of, 0},
    {"relu2", Activation::kRelu2, [](double x) { return relu_of(x) * relu_of(x); }, 2e-5},
    {"relu6", Activation::kRelu6, [](double x) { return std::min(relu_of(x), 6.0); }, 0},
    {"leaky_relu", Activation::kLeakyRelu, [](double x) { return x < 0 ? 0.01 * x : x; }, 2e-8},
    {"silu", Activation::kSilu, [](double x) { return x * sigma(x); }, 1.5e-6},
    {"sigmoid", Activation::kSigmoid, sigma, 1e-7},
    {"tanh", Activation::kTanh, [](double x) { return std::tanh(x); }, 1e-7},
    {"mish", Activation::kMish, [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }, 2e-6},
    {"laplace", Activation::kLaplace, [](double x) { return phi((x - 0.707107) / 0.282095); }, 3e-7},
    {"elu", Activation::kElu, [](double x) { return x < 0 ? std::expm1(x) : x; }, 2e-7},
    {"selu", Activation::kSelu, selu, 2e-6},
    {"rrelu", Activation::kRrelu, [](double x) { return x < 0 ? x * (1.0 / 8 + 1.0 / 3) / 2 : x; }, 4e-7},
    {"hard_sigmoid", Activation::kHardSigmoid, hard_sigmoid_of, 1e-7},
    {"hard_swish", Activation::kHardSwish, [](double x) { return x * hard_sigmoid_of(x); }, 1e-6},
    {"hard_tanh", Activation::kHardTanh, [](double x) { return std::clamp(x, -1.0, 1.0); }, 0},
    {"hard_shrink", Activation::kHardShrink, [](double x) { return std::abs(x) <= 0.5 ? 0.0 : x; }, 0},
    {"soft_shrink", Activation::kSoftShrink, [](double x) { return x - std::clamp(x, -0.5, 0.5); }, 1e-6},
    {"tanh_shrink", Activation::kTanhShrink, tanh_shrink_of, 1e-6},
    {"softsign", Activation::kSoftsign, [](double x) { return x / (1 + std::abs(x)); }, 1e-7},
    {"softplus", Activation::kSoftplus, [](double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); },
     1e-6},
    {"log_sigmoid", Activation::kLogSigmoid,
     [](double x) { return std::min(x, 0.0) - std::log1p(std::exp(-std::abs(x))); }, 1e-6},
    {"log1p_relu", Activation::kLog1pRelu, [](double x) { return std::log1p(relu_of(x)); }, 3e-7},
};

TEST(Activations, AreNearTheirFormulasInFloat64) {
  for (const ActivationCase& c : kCases) {
    Errors errors;
    with_activation(c.activation, [&](auto f) { errors = measure(20.0f, true, 4001, f, c.exact); });
    report(c.name, errors);
    EXPECT_LE(errors.absolute, c.tolerance) << c.name << " at " << errors.absolute_at;
  }
}

TEST(Activations, KeepTheirDigitsNearZero) {
  const auto error_of = [](Activation activation, double (*exact)(double)) {
    Errors errors;
    with_activation(activation, [&](auto f) { errors = measure(-0.5f, false, 4001, f, exact); });
    return errors.ulp;
  };
  EXPECT_LE(error_of(Activation::kElu, [](double x) { return std::expm1(x); }), 3);
  EXPECT_LE(error_of(Activation::kTanhShrink, tanh_shrink_of), 4);
}

TEST(Activations, LetNaNThrough) {
  for (const ActivationCase& c : kCases) {
    float x[3] = {1.0f, kNaN, 2.0f};
    kPortableKernels.activate(x, 3, c.activation);
    EXPECT_TRUE(std::isnan(x[1])) << c.name;
    EXPECT_FALSE(std::isnan(x[0]) || std::isnan(x[2])) << c.name;
  }
}

TEST(Activations, StayFiniteForEveryFiniteNumber) {
  for (const ActivationCase& c : kCases) {
    if (c.activation == Activation::kRelu2 || c.activation == Activation::kSelu) continue;  // these overflow
    for (const float x : {std::numeric_limits<float>::max(), std::numeric_limits<float>::lowest(), 1e20f, -1e20f}) {
      float y = x;
      kPortableKernels.activate(&y, 1, c.activation);
      EXPECT_TRUE(std::isfinite(y)) << c.name << " of " << x << ": " << y;
    }
  }
}

}  // namespace
}  // namespace bert
