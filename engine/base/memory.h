// The memory that cgroups leave to a process, and which process this is. engine/base/posix/ implements it. Stateless;
// safe to call from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "engine/base/cgroup.h"

namespace bert {

struct CgroupMemory {
  static constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

  size_t limit = kNoLimit;  // the least from a cgroup up to the root
  size_t left = kNoLimit;   // the least that one of them has left: its limit without what is used and cannot be dropped
};

// What cannot be read is no limit.
CgroupMemory cgroup_memory(std::span<const CgroupFolder> folders);

// The system's number of this process: another one after a fork.
int64_t process_number() noexcept;

}  // namespace bert
