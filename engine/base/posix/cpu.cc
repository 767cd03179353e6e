#include "engine/base/cpu.h"

#if defined(__linux__)
#include <sched.h>
#endif

namespace bert {

// The set has room for 1024 CPUs; a machine may have more. Only Linux has such a set.
std::vector<size_t> allowed_cpus() {
  std::vector<size_t> cpus;
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return cpus;
  for (size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
#endif
  return cpus;
}

size_t cores_of(std::span<const size_t> cpus) { return count_cores(cpus, "/sys/devices/system/cpu"); }

}  // namespace bert
