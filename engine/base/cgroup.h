// The cgroups of this process, whose files say what a container may use. Stateless; safe to call from many threads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bert {

struct CgroupFolder {
  std::string path;
  int version = 2;  // file names differ between versions 1 and 2
};

// Returns the folders of a controller ("cpu", "memory"), from the process's cgroup up to the root. groups: the text of
// /proc/self/cgroup. mount: the directory of the cgroups.
std::vector<CgroupFolder> cgroup_folders(std::string_view groups, std::string_view controller,
                                         const std::string& mount);
// Returns the folders of this process's cgroups.
std::vector<CgroupFolder> own_cgroup_folders(std::string_view controller);

// Returns the text of a small file; "" if it cannot be read. Throws std::bad_alloc.
std::string text_of_file(const std::string& path);

}  // namespace bert
