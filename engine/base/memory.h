// Reads the memory limits of cgroups, and identifies this process. engine/base/posix/ and windows/ implement it.
// Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "engine/base/cgroup.h"

namespace bert {

struct CgroupMemory {
  static constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

  size_t limit = kNoLimit;  // the minimum over the cgroup and its ancestors
  size_t left = kNoLimit;   // the minimum of what a cgroup has left: its limit minus the used memory that cannot be
                            // dropped
};

// Returns the limits of these cgroups; a file that cannot be read sets no limit.
CgroupMemory cgroup_memory(std::span<const CgroupFolder> folders);

// Returns the system's number of this process, which is different after a fork.
int64_t process_number() noexcept;

}  // namespace bert
