// The floating-point mode of the calling thread: rounding, denormals, traps. Results depend on it, and a program may
// have changed it. Construct and destroy it in the same thread.
#pragma once

#include <cfenv>

namespace bert {

// Sets the default mode (round to nearest, denormals kept, no traps); the destructor restores the previous mode.
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
