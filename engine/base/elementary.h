// Functions that Windows has in a DLL of the system, whose last bits may change with its version. There they are
// computed in 80 bits, by a library that is linked statically; elsewhere they are the C library's. Stateless; safe to
// call from many threads.
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

inline double exponential_of(double x) {
  [[maybe_unused]] const ElementaryMode mode{};
  return static_cast<double>(std::exp(Elementary{x}));
}

inline double log_of_one_plus(double x) {
  [[maybe_unused]] const ElementaryMode mode{};
  return static_cast<double>(std::log1p(Elementary{x}));
}

}  // namespace bert
