// The sizes of the caches that one core has for itself.
#pragma once

#include <cstddef>

namespace bert {

struct CacheSizes {
  size_t l1_data;  // bytes
  size_t l2;       // bytes
};

// As the C library knows them. Where it does not: 32 KiB and 1 MiB.
CacheSizes cache_sizes();

// The same of these two answers, of which 0 and less mean that a size is not known.
CacheSizes cache_sizes_of(long l1_data, long l2);

}  // namespace bert
