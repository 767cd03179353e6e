#include "engine/base/cgroup.h"

#include <algorithm>
#include <fstream>

namespace bert {

std::string text_of_file(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  // A stream swallows exceptions of its reads by default; then lack of memory would look like the end of the file.
  try {
    file.exceptions(std::ios::badbit);
    for (std::string line; std::getline(file, line);) text += line + "\n";
  } catch (const std::ios::failure&) {
    return "";
  }
  return text;
}

std::vector<CgroupFolder> cgroup_folders(std::string_view groups, std::string_view controller,
                                         const std::string& mount) {
  const std::string listed = "," + std::string(controller) + ",";
  std::vector<CgroupFolder> folders;
  for (; !groups.empty(); groups.remove_prefix(std::min(groups.find('\n'), groups.size() - 1) + 1)) {
    // "0::/path" in version 2, "4:cpu,cpuacct:/path" in version 1.
    const std::string_view line = groups.substr(0, groups.find('\n'));
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string controllers(line.substr(first + 1, second - first - 1));
    const int version = controllers.empty() ? 2 : 1;
    if (version == 1 && ("," + controllers + ",").find(listed) == controllers.npos) continue;
    const std::string root = version == 2 ? mount : mount + "/" + std::string(controller);
    for (std::string path(line.substr(second + 1));; path.resize(path.rfind('/'))) {
      while (path.ends_with('/')) path.pop_back();
      folders.push_back({root + path, version});
      if (path.find('/') == path.npos) break;
    }
  }
  return folders;
}

std::vector<CgroupFolder> own_cgroup_folders(std::string_view controller) {
  return cgroup_folders(text_of_file("/proc/self/cgroup"), controller, "/sys/fs/cgroup");
}

}  // namespace bert
