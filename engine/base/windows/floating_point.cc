#include "engine/base/floating_point.h"

namespace bert {
namespace {

void set(FloatingPointMode mode) {
  __builtin_ia32_ldmxcsr(mode.sse);
  asm volatile("fldcw %0" : : "m"(mode.x87));
}

}  // namespace

DefaultFloatingPoint::DefaultFloatingPoint() {
  callers_.sse = __builtin_ia32_stmxcsr();
  asm volatile("fnstcw %0" : "=m"(callers_.x87));
  set({.sse = 0x1F80, .x87 = 0x037F});
}

DefaultFloatingPoint::~DefaultFloatingPoint() { set(callers_); }

}  // namespace bert
