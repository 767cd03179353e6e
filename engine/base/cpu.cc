#include "engine/base/cpu.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "engine/base/cgroup.h"

namespace bert {
namespace {

std::string first_line(const std::string& path) {
  const std::string text = text_of_file(path);
  return text.substr(0, text.find('\n'));
}

// Returns the lowest limit from the process's cgroup up to the root; 0: none.
double cgroup_limit() {
  double limit = 0;
  for (const CgroupFolder& folder : own_cgroup_folders("cpu")) {
    const double cpus = cgroup_cpu_limit(folder.version == 1 ? first_line(folder.path + "/cpu.cfs_quota_us") + " " +
                                                                   first_line(folder.path + "/cpu.cfs_period_us")
                                                             : first_line(folder.path + "/cpu.max"));
    if (cpus > 0 && (limit == 0 || cpus < limit)) limit = cpus;
  }
  return limit;
}

// Returns `count`, but at most the container's limit, and at least 1.
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
  return limited(cpus.empty() ? std::thread::hardware_concurrency() : cores_of(cpus));
}

size_t count_cores(std::span<const size_t> cpus, const std::filesystem::path& system) {
  std::set<std::string> cores;
  size_t unknown = 0;
  for (const size_t cpu : cpus) {
    const std::string core = first_line((system / ("cpu" + std::to_string(cpu)) / "topology/core_cpus_list").string());
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
