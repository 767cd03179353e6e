// Functions that Windows has in a DLL of the system, whose last bits may change with its version. There they are
// computed in 80 bits, by a library that is linked statically; elsewhere they are the C library's. Stateless; safe to
// call from many threads.
#pragma once

#include <cmath>

namespace bert {

#if defined(_WIN32)
using Elementary = long double;
#else
using Elementary = double;
#endif

inline double power_of(double base, double exponent) {
  return static_cast<double>(std::pow(Elementary{base}, Elementary{exponent}));
}

inline double exponential_of(double x) { return static_cast<double>(std::exp(Elementary{x})); }

inline double log_of_one_plus(double x) { return static_cast<double>(std::log1p(Elementary{x})); }

}  // namespace bert
