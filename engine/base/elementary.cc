// exp in about 68 bits, rounded once to double. Sums and products are pairs of doubles, whose rounding errors are known
// exactly (Dekker 1971, "A floating-point technique for extending the available precision"), without fused
// multiply-adds, which not every CPU has.
#include "engine/base/elementary.h"

#include <cstdint>
#include <limits>

#include "engine/base/bit_cast.h"

namespace bert {
namespace {

// A number, and the part of it that has no place in a double.
struct Pair {
  double high;
  double low;
};

// a + b, where |a| is not less than |b|, or a is 0.
Pair sum(double a, double b) {
  const double high = a + b;
  return {high, b - (high - a)};
}

Pair sum_of_any(double a, double b) {
  const double high = a + b;
  const double of_b = high - a;
  return {high, (a - (high - of_b)) + (b - of_b)};
}

// The first 26 bits of a number.
double first_bits(double x) { return bit_cast<double>(bit_cast<uint64_t>(x) & ~((uint64_t{1} << 27) - 1)); }

Pair product(double a, double b) {
  const double high = a * b;
  const double a_first = first_bits(a);
  const double b_first = first_bits(b);
  const double a_rest = a - a_first;
  const double b_rest = b - b_first;
  return {high, ((a_first * b_first - high) + a_first * b_rest + a_rest * b_first) + a_rest * b_rest};
}

// ln(2) / 8 in three parts. The first two have 39 bits, so their products with a whole number of 14 bits are exact.
constexpr double kEighth[] = {0x1.62e42fefap-4, 0x1.cf79abc9ep-43, 0x1.d9cc01f97b57ap-82};
constexpr double kEighthsInOne = 0x1.71547652b82fep+3;

// 2 to the power of i / 8.
constexpr Pair kPowers[] = {
    {0x1p+0, 0},
    {0x1.172b83c7d517bp+0, -0x1.19041b9d78a76p-55},
    {0x1.306fe0a31b715p+0, 0x1.6f46ad23182e4p-55},
    {0x1.4bfdad5362a27p+0, 0x1.d4397afec42e2p-56},
    {0x1.6a09e667f3bcdp+0, -0x1.bdd3413b26456p-54},
    {0x1.8ace5422aa0dbp+0, 0x1.6e9f156864b27p-54},
    {0x1.ae89f995ad3adp+0, 0x1.7a1cd345dcc81p-54},
    {0x1.d5818dcfba487p+0, 0x1.2ed02d75b3707p-55},
};

// (exp(x) - 1 - x - x² / 2) / x³, for |x| up to ln(2) / 16, by the first 8 terms of its series.
double rest_of_series(double x) {
  constexpr double kInverseFactorials[] = {1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
                                           1.0 / 720,     1.0 / 120,    1.0 / 24,    1.0 / 6};
  double terms = 0;
  for (const double inverse : kInverseFactorials) terms = terms * x + inverse;
  return terms;
}

}  // namespace

double exponential_of(double x) {
  if (!(x > -746)) return std::isnan(x) ? x : 0;
  if (x > 710) return std::numeric_limits<double>::infinity();
  // x is a whole number of eighths of ln(2) and a rest of at most half of one.
  const double eighths = std::nearbyint(x * kEighthsInOne);
  const int whole = static_cast<int>(eighths);
  Pair rest = sum_of_any(x - eighths * kEighth[0], -eighths * kEighth[1]);
  rest.low -= eighths * kEighth[2];
  const Pair square = product(rest.high, rest.high);
  const Pair linear = sum(rest.high, square.high / 2);
  const double small = linear.low + rest.low + square.low / 2 + rest.high * rest.low +
                       rest.high * square.high * rest_of_series(rest.high);
  const Pair grown = sum(linear.high, small);  // exp(rest) - 1
  const Pair power = kPowers[whole & 7];
  const Pair added = product(power.high, grown.high);
  const Pair result = sum(power.high, added.high);
  const double low = result.low + (added.low + power.high * grown.low + power.low + power.low * grown.high);
  return std::ldexp(result.high + low, (whole - (whole & 7)) / 8);
}

}  // namespace bert
