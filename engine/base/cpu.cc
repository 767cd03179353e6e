#include "engine/base/cpu.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace bert {
namespace {

// A stream keeps an exception of its reads to itself unless asked: want of memory is not "no such line".
bool read_line(std::ifstream& file, std::string& line) {
  try {
    file.exceptions(std::ios::badbit);
    return static_cast<bool>(std::getline(file, line));
  } catch (const std::ios::failure&) {
    return false;
  }
}

std::string first_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  return read_line(file, line) ? line : "";
}

// The lowest limit from the process's cgroup up to the root; 0: none.
double cgroup_limit() {
  double limit = 0;
  const auto tighten = [&](double cpus) {
    if (cpus > 0 && (limit == 0 || cpus < limit)) limit = cpus;
  };
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; read_line(groups, line);) {
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

// At most the container's limit, at least 1.
size_t limited(size_t count) {
  if (const double limit = cgroup_limit(); limit > 0) {
    count = std::min(count, static_cast<size_t>(std::ceil(limit)));
  }
  return std::max<size_t>(count, 1);
}

}  // namespace

size_t available_cpus() {
  const std::vector<size_t> cpus = allowed_cpus();
  return limited(cpus.empty() ? std::thread::hardware_concurrency() : cpus.size());
}

size_t available_cores() {
  const std::vector<size_t> cpus = allowed_cpus();
  return limited(cpus.empty() ? std::thread::hardware_concurrency() : count_cores(cpus, "/sys/devices/system/cpu"));
}

size_t count_cores(std::span<const size_t> cpus, const std::filesystem::path& system) {
  std::set<std::string> cores;
  size_t unknown = 0;
  for (const size_t cpu : cpus) {
    const std::string core = first_line(system / ("cpu" + std::to_string(cpu)) / "topology/core_cpus_list");
    if (core.empty()) {
      ++unknown;
    } else {
      cores.insert(core);
    }
  }
  return cores.size() + unknown;
}

double cgroup_cpu_limit(std::string_view cpu_max) {
  const auto next_number = [&cpu_max] {
    cpu_max.remove_prefix(std::min(cpu_max.find_first_not_of(" \n"), cpu_max.size()));
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(cpu_max.data(), cpu_max.data() + cpu_max.size(), number);
    cpu_max.remove_prefix(static_cast<size_t>(end - cpu_max.data()));
    return error == std::errc() ? static_cast<double>(number) : 0.0;
  };
  const double quota = next_number();
  const double period = next_number();
  return period > 0 ? quota / period : 0;
}

}  // namespace bert
