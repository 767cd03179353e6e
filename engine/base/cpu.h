// How many CPUs and cores the process may use. posix/ and windows/ have the system calls. Safe to call from many
// threads.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace bert {

// Returns the number of CPUs in the process's affinity mask, limited by the container's CPU quota (cgroup v1 and v2),
// rounded up; >= 1.
size_t available_cpus();

// Returns the number of physical cores of these CPUs, with the same limit: two CPUs of one core share its arithmetic
// units, so a second thread adds little to a matrix product. >= 1.
size_t available_cores();

// Returns the CPUs of the process's affinity mask, in ascending order; empty if the mask is not known.
std::vector<size_t> allowed_cpus();

// Returns the number of cores of these CPUs, as the system lists them. A CPU that it does not list counts as a core.
size_t cores_of(std::span<const size_t> cpus);

// Counts the cores of these CPUs: CPUs with the same topology/core_cpus_list in `system` (/sys/devices/system/cpu)
// belong to one core. A CPU without that file counts as a core.
size_t count_cores(std::span<const size_t> cpus, const std::filesystem::path& system);

// Returns the quota in CPUs of a cgroup v2 cpu.max text ("200000 100000", "max 100000"); 0: no limit or not readable.
double cgroup_cpu_limit(std::string_view cpu_max);

}  // namespace bert
