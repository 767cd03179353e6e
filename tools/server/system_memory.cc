#include "tools/server/system_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <sstream>

namespace bert::server {
namespace {

constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// "max", which is no number, is no limit.
size_t limit_in(const std::string& path) {
  const std::string text = text_of(path);
  size_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  return error == std::errc() ? bytes : kNoLimit;
}

}  // namespace

size_t cgroup_memory_limit(std::string_view groups, const std::string& mount) {
  size_t least = kNoLimit;
  std::istringstream lines{std::string(groups)};
  for (std::string line; std::getline(lines, line);) {  // "0::/path", or "4:memory:/path"
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && ("," + controllers + ",").find(",memory,") == controllers.npos) continue;
    const std::string root = controllers.empty() ? mount : mount + "/memory";
    const std::string file = controllers.empty() ? "/memory.max" : "/memory.limit_in_bytes";
    for (std::string path = line.substr(second + 1);; path.resize(path.rfind('/'))) {
      while (path.ends_with('/')) path.pop_back();
      least = std::min(least, limit_in(root + path + file));
      if (path.find('/') == path.npos) break;
    }
  }
  return least;
}

size_t usable_memory() {
  size_t least = cgroup_memory_limit(text_of("/proc/self/cgroup"), "/sys/fs/cgroup");
  const long pages = ::sysconf(_SC_PHYS_PAGES), page_bytes = ::sysconf(_SC_PAGESIZE);
  if (pages > 0 && page_bytes > 0)
    least = std::min(least, static_cast<size_t>(pages) * static_cast<size_t>(page_bytes));
  for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit limit = {};
    if (::getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
      least = std::min<size_t>(least, limit.rlim_cur);
    }
  }
  return least;
}

}  // namespace bert::server
