#include "engine/base/cpu_features.h"

#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#elif defined(__aarch64__) && defined(__APPLE__)
#include <sys/sysctl.h>
#endif

namespace bert {

// Linux lets a process use tiles after ARCH_REQ_XCOMP_PERM; ARCH_GET_XCOMP_SUPP reports whether it would
// (Documentation/arch/x86/xstate.rst). Macs have no CPU with tiles.
bool grants_tile_data() {
#if defined(__x86_64__) && defined(__linux__)
  constexpr int kArchGetXcompSupp = 0x1021;
  constexpr uint64_t kTileData = 1u << 18;
  uint64_t supported = 0;
  return syscall(SYS_arch_prctl, kArchGetXcompSupp, &supported) == 0 && (supported & kTileData) != 0;
#else
  return false;
#endif
}

#if defined(__aarch64__) && defined(__APPLE__)
namespace {

// Not tested on a Mac.
uint64_t bit_if(const char* name, uint64_t bit) {
  int has = 0;
  size_t bytes = sizeof has;
  return sysctlbyname(name, &has, &bytes, nullptr, 0) == 0 && has != 0 ? bit : 0;
}

}  // namespace
#endif

ArmCapabilities arm_capabilities() {
#if defined(__aarch64__) && defined(__linux__)
  return {.hwcap = getauxval(AT_HWCAP), .hwcap2 = getauxval(AT_HWCAP2)};
#elif defined(__aarch64__) && defined(__APPLE__)
  return {.hwcap = ArmCapabilities::kAsimd | bit_if("hw.optional.arm.FEAT_DotProd", ArmCapabilities::kAsimdDotprod),
          .hwcap2 = bit_if("hw.optional.arm.FEAT_I8MM", ArmCapabilities::kI8mm)};
#else
  return {};
#endif
}

}  // namespace bert
