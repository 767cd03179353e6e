#include "engine/base/cache_sizes.h"

#include <unistd.h>

#if defined(__APPLE__)
#include <sys/sysctl.h>

#include <cstdint>
#endif

namespace bert {

#if defined(__APPLE__)
namespace {

// Not tested on a Mac. perflevel0: the fast cores.
long system_value(const char* name) {
  int64_t value = 0;
  size_t bytes = sizeof value;
  return sysctlbyname(name, &value, &bytes, nullptr, 0) == 0 ? static_cast<long>(value) : 0;
}

}  // namespace
#endif

CacheSizes cache_sizes() {
#if defined(__APPLE__)
  return cache_sizes_of(system_value("hw.perflevel0.l1dcachesize"), system_value("hw.perflevel0.l2cachesize"));
#elif defined(_SC_LEVEL1_DCACHE_SIZE) && defined(_SC_LEVEL2_CACHE_SIZE)
  // A glibc extension; on x86-64 glibc reads the sizes from CPUID, on ARM it may have none.
  const long l1_data = sysconf(_SC_LEVEL1_DCACHE_SIZE);
  const long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (l1_data > 0 && l2 > 0) return cache_sizes_of(l1_data, l2);
#endif
  return cache_sizes_in("/sys/devices/system/cpu/cpu0/cache");
}

}  // namespace bert
