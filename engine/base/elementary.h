// Functions whose last bits differ between C libraries. exp is this project's own, so its bits are the same everywhere.
// The others are the C library's, except on Windows: there they are in a DLL of the system, whose last bits may change
// with its version, so they are computed in 80 bits by a library that is linked statically. Stateless; safe to call
// from many threads.
#pragma once

#include <cmath>

#if defined(_WIN32)
#include "engine/base/floating_point.h"
#endif

namespace bert {

#if defined(_WIN32)
using Elementary = long double;
using ElementaryMode = DefaultFloatingPoint;  // a thread of Windows begins with 53 bits of the 64
#else
using Elementary = double;
struct ElementaryMode {};
#endif

inline double power_of(double base, double exponent) {
  [[maybe_unused]] const ElementaryMode mode{};
  return static_cast<double>(std::pow(Elementary{base}, Elementary{exponent}));
}

// e to the power of x. Its error is at most 0.5001 units in the last place where the result is a normal number.
double exponential_of(double x);

inline double log_of_one_plus(double x) {
  [[maybe_unused]] const ElementaryMode mode{};
  return static_cast<double>(std::log1p(Elementary{x}));
}

}  // namespace bert
