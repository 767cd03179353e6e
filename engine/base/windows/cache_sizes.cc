#include "engine/base/cache_sizes.h"

#include "engine/base/windows/processors.h"

namespace bert {

// Where cores differ, the largest cache of each level counts: that of the fast cores.
CacheSizes cache_sizes() {
  long l1_data = 0, l2 = 0;
  for_each_processor_relation(RelationCache, [&](const SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX& entry) {
    const CACHE_RELATIONSHIP& cache = entry.Cache;
    if (cache.Type != CacheData && cache.Type != CacheUnified) return;
    const auto bytes = static_cast<long>(cache.CacheSize);
    if (cache.Level == 1 && bytes > l1_data) l1_data = bytes;
    if (cache.Level == 2 && bytes > l2) l2 = bytes;
  });
  return cache_sizes_of(l1_data, l2);
}

}  // namespace bert
