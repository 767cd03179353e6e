// Sizes of the caches private to one core. engine/base/posix/ asks the system.
#pragma once

#include <cstddef>
#include <filesystem>

namespace bert {

struct CacheSizes {
  size_t l1_data;  // bytes
  size_t l2;       // bytes
};

// As the C library or else the system reports them; if neither does: 32 KiB and 1 MiB.
CacheSizes cache_sizes();

// Those that Linux describes in a CPU's folder `cache`: index0, index1, … with the files level, type and size.
CacheSizes cache_sizes_in(const std::filesystem::path& directory);

// These two; 0 or less means unknown.
CacheSizes cache_sizes_of(long l1_data, long l2);

}  // namespace bert
