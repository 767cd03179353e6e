// How much memory this process may use, as the system and its container say. Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bert::server {

// Bytes: the least of the machine's memory, the limits of the process's cgroups (v1 and v2), and its limits of address
// space and data (RLIMIT_AS, RLIMIT_DATA).
size_t usable_memory();

// The least limit in bytes from a cgroup up to the root. groups: the text of /proc/self/cgroup. mount: of the cgroups,
// /sys/fs/cgroup. The largest size_t if there is none, or none can be read.
size_t cgroup_memory_limit(std::string_view groups, const std::string& mount);

}  // namespace bert::server
