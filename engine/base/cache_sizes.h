// Sizes of the caches that are private to one core. posix/ and windows/ read them from the system.
#pragma once

#include <cstddef>
#include <filesystem>

namespace bert {

struct CacheSizes {
  size_t l1_data;  // bytes
  size_t l2;       // bytes
};

// Returns the sizes that the C library or else the system reports; if neither does, 32 KiB and 1 MiB.
CacheSizes cache_sizes();

// Returns the sizes that Linux lists in a CPU's folder `cache`: index0, index1, … with the files level, type and size.
CacheSizes cache_sizes_in(const std::filesystem::path& directory);

// Returns these sizes, with the defaults for unknown ones (0 or less).
CacheSizes cache_sizes_of(long l1_data, long l2);

}  // namespace bert
