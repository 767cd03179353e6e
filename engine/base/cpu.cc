#include "engine/base/cpu.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

namespace bert {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The lowest limit from the process's cgroup up to the root; 0: none.
double cgroup_limit() {
  double limit = 0;
  const auto tighten = [&](double cpus) {
    if (cpus > 0 && (limit == 0 || cpus < limit)) limit = cpus;
  };
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    // "0::/path" in version 2, "4:cpu,cpuacct:/path" in version 1.
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool version_1 = ("," + controllers + ",").find(",cpu,") != std::string::npos;
    if (!controllers.empty() && !version_1) continue;
    const std::string root = version_1 ? "/sys/fs/cgroup/cpu" : "/sys/fs/cgroup";
    for (std::string path = line.substr(second + 1);; path.resize(path.rfind('/'))) {
      if (version_1) {
        tighten(cgroup_cpu_limit(first_line(root + path + "/cpu.cfs_quota_us") + " " +
                                 first_line(root + path + "/cpu.cfs_period_us")));
      } else {
        tighten(cgroup_cpu_limit(first_line(root + path + "/cpu.max")));
      }
      if (path.find('/') == std::string::npos) break;
    }
  }
  return limit;
}

}  // namespace

size_t available_cpus() {
  size_t cpus = 0;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    cpus = static_cast<size_t>(CPU_COUNT(&set));
  } else if (const long online = sysconf(_SC_NPROCESSORS_ONLN); online > 0) {
    cpus = static_cast<size_t>(online);  // the set has room for 1024 CPUs; a machine may have more
  }
  if (const double limit = cgroup_limit(); limit > 0) {
    cpus = std::min(cpus, static_cast<size_t>(std::ceil(limit)));
  }
  return std::max<size_t>(cpus, 1);
}

double cgroup_cpu_limit(std::string_view cpu_max) {
  std::istringstream text{std::string(cpu_max)};
  double quota = 0;
  double period = 0;
  if (!(text >> quota >> period) || quota <= 0 || period <= 0) return 0;
  return quota / period;
}

}  // namespace bert
