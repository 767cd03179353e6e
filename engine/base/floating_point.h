// The floating-point mode of the calling thread: rounding, denormals, traps. Results depend on it, and a program may
// have changed it. Construct and destroy it in the same thread. On Windows it is set without the C library, whose
// fesetenv leaves the mode of SSE as it is.
#pragma once

#if defined(_WIN32)
#include <cstdint>
#else
#include <cfenv>
#endif

namespace bert {

#if defined(_WIN32)
struct FloatingPointMode {
  uint32_t sse = 0;  // MXCSR
  uint16_t x87 = 0;  // the control word; elementary.h computes in 80 bits
};
#endif

// Sets the default mode (round to nearest, denormals kept, no traps); the destructor restores the previous mode.
class DefaultFloatingPoint {
 public:
#if defined(_WIN32)
  DefaultFloatingPoint();
  ~DefaultFloatingPoint();
#else
  DefaultFloatingPoint() {
    std::fegetenv(&callers_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatingPoint() { std::fesetenv(&callers_); }
#endif
  DefaultFloatingPoint(const DefaultFloatingPoint&) = delete;
  DefaultFloatingPoint& operator=(const DefaultFloatingPoint&) = delete;

 private:
#if defined(_WIN32)
  FloatingPointMode callers_;
#else
  std::fenv_t callers_;
#endif
};

}  // namespace bert
