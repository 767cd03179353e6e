// How many CPUs the process may use. Safe to call from many threads.
#pragma once

#include <cstddef>
#include <string_view>

namespace bert {

// The CPUs of the process's affinity mask, limited by the container's CPU quota (cgroup v1 and v2), rounded up; >= 1.
size_t available_cpus();

// The quota in CPUs that a cgroup v2 cpu.max text ("200000 100000", "max 100000") grants; 0: no limit or not readable.
double cgroup_cpu_limit(std::string_view cpu_max);

}  // namespace bert
