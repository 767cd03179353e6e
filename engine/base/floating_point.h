// The calling thread's floating-point mode: rounding, denormals, traps. A program may have changed its own, and the
// order of operations alone does not fix the bits then. Of the thread that makes it.
#pragma once

#include <cfenv>

namespace bert {

// The mode that a program starts with (to nearest, denormals kept, no traps), until it goes.
class DefaultFloatingPoint {
 public:
  DefaultFloatingPoint() {
    std::fegetenv(&callers_);
    std::fesetenv(FE_DFL_ENV);
  }
  DefaultFloatingPoint(const DefaultFloatingPoint&) = delete;
  DefaultFloatingPoint& operator=(const DefaultFloatingPoint&) = delete;
  ~DefaultFloatingPoint() { std::fesetenv(&callers_); }

 private:
  std::fenv_t callers_;
};

}  // namespace bert
