// exp, the normal tail, tanh and the activations over Lanes. Only IEEE 754 operations in one written order, so every
// instruction set gives the same bits. Included after a lanes_*.h. The coefficients are from tools/fit_polynomials.py;
// tests/engine/kernels/isa/math_test.cc measures the errors given in docs/NUMERICS.md.
#pragma once

#include "engine/kernels/activation.h"

namespace bert {
namespace {

template <size_t count>
inline Lanes polynomial(const float (&coefficients)[count], Lanes x) {
  Lanes sum = set1(coefficients[count - 1]);
  for (size_t i = count - 1; i-- > 0;) sum = fma(sum, x, set1(coefficients[i]));
  return sum;
}

// exp(r) = 1 + r + r² P(r) for |r| <= ln(2)/2.
constexpr float kExp[] = {0x1.000000p-1f, 0x1.555554p-3f,  0x1.555486p-5f,
                          0x1.11127ep-7f, 0x1.6d9448p-10f, 0x1.9f02e2p-13f};
// tanh(x) = x + x s P(s), s = x² for s <= 0.36.
constexpr float kTanh[] = {-0x1.555554p-2f, 0x1.11109ep-3f,  -0x1.b9fa8ap-5f,
                           0x1.6418d8p-6f,  -0x1.0ee55cp-7f, 0x1.246dfcp-9f};
// log(1 + e) = 2 z + 2 z s P(s), z = e / (2 + e), s = z² for s <= 1/9.
constexpr float kLog1p[] = {0x1.555502p-2f, 0x1.99d208p-3f, 0x1.1ebd0cp-3f, 0x1.1ed7c2p-3f};
// Phi(-t) = exp(-t²/2) P(1 / (1 + 0.3 t)) for 0 <= t <= 14.5.
constexpr float kMills[] = {0x1.7b666ep-21f, 0x1.ea2b6ep-4f, 0x1.ea6ff8p-4f,  0x1.bfb2a4p-4f,
                            0x1.4edc2ap-4f,  0x1.691326p-4f, -0x1.10fce2p-4f, 0x1.6d0d86p-3f,
                            -0x1.c0af3ap-3f, 0x1.be021ep-4f, -0x1.47ffb8p-6f};
// -Phi(-t) in 16 pieces, each a cubic in r = 15 t / 5.6 - n, where n is the piece nearest to t: [power][n].
constexpr float kTailPieces[4][16] = {
    {-0x1.000000p-1f, -0x1.6af5a4p-2f, -0x1.d232c0p-3f, -0x1.0d0636p-3f, -0x1.15335ap-4f, -0x1.fb7918p-6f,
     -0x1.9b0f42p-7f, -0x1.25c194p-8f, -0x1.718952p-10f, -0x1.9861a6p-12f, -0x1.8bdf6ep-14f, -0x1.50321ep-16f,
     -0x1.f3c436p-19f, -0x1.44d458p-21f, -0x1.70fc6cp-24f, -0x1.6e0c68p-27f},
    {0x1.3105e8p-3f, 0x1.1c7d5cp-3f, 0x1.cda43ap-4f, 0x1.45d312p-4f, 0x1.9017b8p-5f, 0x1.ab5e28p-6f, 0x1.8d1a5cp-7f,
     0x1.40f734p-8f, 0x1.c353b4p-10f, 0x1.1403f8p-11f, 0x1.25a76ep-13f, 0x1.0fbe30p-15f, 0x1.b570b0p-18f,
     0x1.323a36p-20f, 0x1.74e39ap-23f, 0x1.8ae48ep-26f},
    {0x1.900000p-51f, -0x1.3a98a8p-7f, -0x1.ff1b4ap-7f, -0x1.0f1852p-6f, -0x1.bd19e2p-7f, -0x1.2a3aa4p-7f,
     -0x1.4e03d2p-8f, -0x1.3ca30ap-9f, -0x1.fff8ecp-11f, -0x1.62b610p-12f, -0x1.a69e86p-14f, -0x1.b1fa68p-16f,
     -0x1.80c266p-18f, -0x1.26e8cep-20f, -0x1.873d4ap-23f, -0x1.c18bdcp-26f},
    {-0x1.c2881ap-9f, -0x1.699a34p-9f, -0x1.2fbdb2p-10f, 0x1.de124ap-12f, 0x1.69a230p-10f, 0x1.883d28p-10f,
     0x1.281a2cp-10f, 0x1.5d110ep-11f, 0x1.4f5e08p-12f, 0x1.0c2fc6p-13f, 0x1.695beap-15f, 0x1.9d5940p-17f,
     0x1.93799ap-19f, 0x1.5150fep-21f, 0x1.e46266p-24f, 0x1.2b4e2ap-26f}};

// Returns 0 below -104 and infinity above 89; a NaN stays a NaN (min and max return their second operand for it).
inline Lanes exp(Lanes x) {
  x = min(set1(89.0f), max(set1(-104.0f), x));
  const Lanes to_integer = set1(0x1.8p23f);  // adding it rounds to an integer, subtracting it restores that
  const Lanes n = sub(fma(x, set1(0x1.715476p0f), to_integer), to_integer);  // x / ln(2)
  Lanes r = fma(n, set1(-0x1.62e400p-1f), x);  // ln(2) in two parts; the first ends with zero bits, so that n times it
                                               // is exact
  r = fma(n, set1(-0x1.7f7d1cp-20f), r);
  const Lanes r2 = mul(r, r);
  const Lanes tail = fma(r2, polynomial(kExp, r), r);
  return scale_by_power_of_2(add(set1(1.0f), tail), n);
}

inline Lanes sigmoid(Lanes x) { return div(set1(1.0f), add(set1(1.0f), exp(sub(set1(0.0f), x)))); }

inline Lanes tanh(Lanes x) {
  const Lanes s = mul(x, x);
  const Lanes near = fma(mul(x, s), polynomial(kTanh, s), x);
  const Lanes t = abs(x);
  const Lanes far = sub(set1(1.0f), div(set1(2.0f), add(exp(add(t, t)), set1(1.0f))));
  const Lanes signed_far = select(less(x, set1(0.0f)), sub(set1(0.0f), far), far);
  return select(less(t, set1(0.6f)), near, signed_far);
}

// Computes exp(x) - 1 = tanh(x/2) (exp(x) + 1) for x <= 0, without cancellation near 0.
inline Lanes exp_minus_1(Lanes x) { return mul(tanh(mul(set1(0.5f), x)), add(exp(x), set1(1.0f))); }

// Computes log(1 + e) for -0.3 <= e <= 1.
inline Lanes log_1_plus_small(Lanes e) {
  const Lanes sum = add(set1(2.0f), e);
  const Lanes z = div(e, sum);
  // e / (2 + e) = z + lost; `lost` is what rounding the sum and the quotient lost.
  const Lanes minus_z = sub(set1(0.0f), z);
  const Lanes of_sum = sub(e, sub(sum, set1(2.0f)));
  const Lanes lost = div(fma(minus_z, of_sum, fma(minus_z, sum, e)), sum);
  const Lanes s = mul(z, z);
  const Lanes half = add(fma(mul(z, s), polynomial(kLog1p, s), lost), z);
  return add(half, half);
}

// log(1 + exp(-|x|)).
inline Lanes log_1_plus_exp_below_0(Lanes x) { return log_1_plus_small(exp(sub(set1(0.0f), abs(x)))); }

// Computes log(1 + x) for finite x >= 0: 1 + x = 2^k (1 + e), sqrt(1/2) <= 1 + e < sqrt(2).
inline Lanes log_1_plus(Lanes x) {
  const Lanes one = set1(1.0f);
  const Lanes sum = add(one, x);
  // 1 + x = sum + lost, exactly.
  const Lanes lost = select(less(x, one), sub(x, sub(sum, one)), sub(one, sub(sum, x)));
  const Lanes k = add(exponent_of(mul(sum, set1(0.70710678f))), one);
  const Lanes minus_k = sub(set1(0.0f), k);
  const Lanes e = add(sub(scale_by_power_of_2(sum, minus_k), one), scale_by_power_of_2(lost, minus_k));
  const Lanes of_e = fma(k, set1(0x1.7f7d1cp-20f), log_1_plus_small(e));  // ln(2) in two parts, as in exp
  return fma(k, set1(0x1.62e400p-1f), of_e);
}

// Computes x - tanh(x) without cancellation near 0.
inline Lanes tanh_shrink(Lanes x) {
  const Lanes s = mul(x, x);
  const Lanes near = sub(set1(0.0f), mul(mul(x, s), polynomial(kTanh, s)));
  return select(less(abs(x), set1(0.6f)), near, sub(x, tanh(x)));
}

// Returns Phi(-t) for t >= 0: the probability of the standard normal distribution beyond t. Unlike ½(1 + erf), it keeps
// its relative accuracy for large t.
[[gnu::always_inline]] inline Lanes normal_tail(Lanes t) {
  t = min(set1(14.5f), t);
  const Lanes square = mul(t, t);
  const Lanes lost = fma(t, t, sub(set1(0.0f), square));  // t² = square + lost, exactly
  Lanes e = exp(mul(set1(-0.5f), square));
  e = fma(e, mul(set1(-0.5f), lost), e);
  const Lanes u = div(set1(1.0f), fma(set1(0.3f), t, set1(1.0f)));
  return mul(e, polynomial(kMills, u));
}

// As in min and max, a NaN is returned unchanged.
inline Lanes clamp(Lanes x, float least, float largest) { return min(set1(largest), max(set1(least), x)); }
inline Lanes relu(Lanes x) { return max(set1(0.0f), x); }
inline Lanes hard_sigmoid(Lanes x) { return div(clamp(add(x, set1(3.0f)), 0.0f, 6.0f), set1(6.0f)); }

// x Phi(x) = relu(x) - |x| Phi(-|x|): one formula for both signs, without cancellation.
inline Lanes gelu(Lanes x) {
  const Lanes t = abs(x);
  return sub(relu(x), mul(t, normal_tail(t)));
}

// Computes gelu to 4e-6, in a third of the time: relu(x) - t Phi(-t), t = min(|x|, 5.6), with Phi(-t) from pieces.
inline Lanes gelu_of_few_bits(Lanes x) {
  const Lanes t = min(set1(5.6f), abs(x));
  const Lanes to_integer = set1(0x1.8p23f), scale = set1(15 / 5.6f);
  const Lanes rounded = fma(t, scale, to_integer);  // its lowest bits equal those of n
  const Lanes r = fma(t, scale, sub(set1(0.0f), sub(rounded, to_integer)));
  Lanes tail = lookup(kTailPieces[3], rounded);
  for (size_t power = 3; power-- > 0;) tail = fma(tail, r, lookup(kTailPieces[power], rounded));
  return fma(t, tail, relu(x));
}

// ½ x (1 + tanh(u)) = x sigmoid(2u).
inline Lanes gelu_tanh(Lanes x) {
  const Lanes cube = mul(mul(x, x), x);
  const Lanes u = mul(set1(0.7978845608028654f), fma(set1(0.044715f), cube, x));
  return mul(x, sigmoid(add(u, u)));
}

inline Lanes gelu_fast(Lanes x) {
  const Lanes inner = fma(mul(set1(0.044715f), x), x, set1(1.0f));
  const Lanes u = mul(mul(x, set1(0.7978845608f)), inner);
  return mul(x, sigmoid(add(u, u)));
}

// tanh(log(1 + e^x)) = (e^2x + 2 e^x) / (e^2x + 2 e^x + 2); above 20 the quotient is 1 in float32.
inline Lanes mish(Lanes x) {
  const Lanes e = exp(min(set1(20.0f), x));
  const Lanes w = mul(e, add(e, set1(2.0f)));
  return mul(x, div(w, add(w, set1(2.0f))));
}

inline Lanes laplace(Lanes x) {
  const Lanes z = div(sub(x, set1(0.707107f)), set1(0.282095f));
  const Lanes tail = normal_tail(abs(z));
  return select(less(z, set1(0.0f)), tail, sub(set1(1.0f), tail));
}

// Calls use(f) with the activation's function. The choice is made once, outside the loops.
template <class Use>
inline void with_activation(Activation activation, Use use) {
  switch (activation) {
    case Activation::kIdentity:
      return use([](Lanes x) { return x; });
    case Activation::kGelu:
      return use([](Lanes x) { return gelu(x); });
    case Activation::kGeluOfFewBits:
      return use([](Lanes x) { return gelu_of_few_bits(x); });
    case Activation::kGeluTanh:
      return use([](Lanes x) { return gelu_tanh(x); });
    case Activation::kGeluFast:
      return use([](Lanes x) { return gelu_fast(x); });
    case Activation::kGelu10:
      return use([](Lanes x) { return min(set1(10.0f), max(set1(-10.0f), gelu(x))); });
    case Activation::kQuickGelu:
      return use([](Lanes x) { return mul(x, sigmoid(mul(set1(1.702f), x))); });
    case Activation::kRelu:
      return use([](Lanes x) { return relu(x); });
    case Activation::kRelu2:
      return use([](Lanes x) { return mul(relu(x), relu(x)); });
    case Activation::kRelu6:
      return use([](Lanes x) { return min(set1(6.0f), relu(x)); });
    case Activation::kLeakyRelu:
      return use([](Lanes x) { return select(less(x, set1(0.0f)), mul(set1(0.01f), x), x); });
    case Activation::kSilu:
      return use([](Lanes x) { return mul(x, sigmoid(x)); });
    case Activation::kSigmoid:
      return use([](Lanes x) { return sigmoid(x); });
    case Activation::kTanh:
      return use([](Lanes x) { return tanh(x); });
    case Activation::kMish:
      return use([](Lanes x) { return mish(x); });
    case Activation::kLaplace:
      return use([](Lanes x) { return laplace(x); });
    case Activation::kElu:
      return use([](Lanes x) { return select(less(x, set1(0.0f)), exp_minus_1(x), x); });
    case Activation::kSelu:
      return use([](Lanes x) {
        const Lanes below = mul(set1(1.0507009873554805f * 1.6732632423543772f), exp_minus_1(x));
        return select(less(x, set1(0.0f)), below, mul(set1(1.0507009873554805f), x));
      });
    case Activation::kRrelu:
      return use([](Lanes x) { return select(less(x, set1(0.0f)), mul(set1(11.0f / 48.0f), x), x); });
    case Activation::kHardSigmoid:
      return use([](Lanes x) { return hard_sigmoid(x); });
    case Activation::kHardSwish:
      return use([](Lanes x) { return mul(x, hard_sigmoid(x)); });
    case Activation::kHardTanh:
      return use([](Lanes x) { return clamp(x, -1.0f, 1.0f); });
    case Activation::kHardShrink:  // 0x1.000002p-1 is the next float after 0.5
      return use([](Lanes x) { return select(less(abs(x), set1(0x1.000002p-1f)), set1(0.0f), x); });
    case Activation::kSoftShrink:
      return use([](Lanes x) { return sub(x, clamp(x, -0.5f, 0.5f)); });
    case Activation::kTanhShrink:
      return use([](Lanes x) { return tanh_shrink(x); });
    case Activation::kSoftsign:
      return use([](Lanes x) { return div(x, add(set1(1.0f), abs(x))); });
    case Activation::kSoftplus:
      return use([](Lanes x) { return add(relu(x), log_1_plus_exp_below_0(x)); });
    case Activation::kLogSigmoid:
      return use([](Lanes x) { return sub(min(set1(0.0f), x), log_1_plus_exp_below_0(x)); });
    case Activation::kLog1pRelu:
      return use([](Lanes x) { return log_1_plus(relu(x)); });
  }
}

}  // namespace
}  // namespace bert
