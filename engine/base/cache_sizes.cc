#include "engine/base/cache_sizes.h"

#include <unistd.h>

namespace bert {

// The cache names are a glibc extension; on x86-64 glibc reads the sizes from CPUID.
CacheSizes cache_sizes() {
#if defined(_SC_LEVEL1_DCACHE_SIZE) && defined(_SC_LEVEL2_CACHE_SIZE)
  return cache_sizes_of(sysconf(_SC_LEVEL1_DCACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE));
#else
  return cache_sizes_of(0, 0);
#endif
}

CacheSizes cache_sizes_of(long l1_data, long l2) {
  return {.l1_data = l1_data > 0 ? static_cast<size_t>(l1_data) : size_t{32} << 10,
          .l2 = l2 > 0 ? static_cast<size_t>(l2) : size_t{1} << 20};
}

}  // namespace bert
