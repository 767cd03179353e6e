// Sizes of the caches private to one core.
#pragma once

#include <cstddef>

namespace bert {

struct CacheSizes {
  size_t l1_data;  // bytes
  size_t l2;       // bytes
};

// As the C library reports them; if it does not: 32 KiB and 1 MiB.
CacheSizes cache_sizes();

// The same from these two sysconf answers; 0 or less means unknown.
CacheSizes cache_sizes_of(long l1_data, long l2);

}  // namespace bert
