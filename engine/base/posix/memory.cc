#include "engine/base/memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "bert/memory.h"

namespace bert {
namespace {

constexpr size_t kNoLimit = CgroupMemory::kNoLimit;

// Returns the number at the beginning of a text; `otherwise` if there is none, as in "max".
size_t number_in(std::string_view text, size_t otherwise) {
  size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? number : otherwise;
}

// Returns the number after this key, at the beginning of a line; `otherwise` if there is none.
size_t number_after(const std::string& text, const std::string& key, size_t otherwise) {
  size_t at = text.starts_with(key) ? 0 : text.find("\n" + key);
  if (at == std::string::npos) return otherwise;
  at = text.find_first_of("0123456789", at + key.size());
  return at == std::string::npos ? otherwise : number_in(std::string_view(text).substr(at), otherwise);
}

size_t less(size_t a, size_t b) { return a > b ? a - b : 0; }

// File names of one cgroup version.
struct CgroupFiles {
  const char* limit;
  const char* used;
  const char* droppable;  // key in memory.stat
};
constexpr CgroupFiles kVersion1 = {"/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file "};
constexpr CgroupFiles kVersion2 = {"/memory.max", "/memory.current", "inactive_file "};

void include_group(const std::string& folder, const CgroupFiles& files, CgroupMemory& memory) {
  const size_t limit = number_in(text_of_file(folder + files.limit), kNoLimit);
  if (limit == kNoLimit) return;
  memory.limit = std::min(memory.limit, limit);
  const size_t used = number_in(text_of_file(folder + files.used), 0);
  const size_t droppable = number_after(text_of_file(folder + "/memory.stat"), files.droppable, 0);
  memory.left = std::min(memory.left, less(limit, less(used, droppable)));
}

// Returns RLIMIT_AS or RLIMIT_DATA, minus `used`.
size_t limit_of(decltype(RLIMIT_AS) resource, size_t used) {
  rlimit limit = {};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kNoLimit;
  return less(limit.rlim_cur, used);
}

size_t machine_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), page_bytes = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && page_bytes > 0 ? static_cast<size_t>(pages) * static_cast<size_t>(page_bytes) : kNoLimit;
}

CgroupMemory own_groups() { return cgroup_memory(own_cgroup_folders("memory")); }

}  // namespace

CgroupMemory cgroup_memory(std::span<const CgroupFolder> folders) {
  CgroupMemory memory;
  for (const CgroupFolder& folder : folders) {
    include_group(folder.path, folder.version == 1 ? kVersion1 : kVersion2, memory);
  }
  return memory;
}

size_t usable_memory() {
  return std::min({own_groups().limit, machine_memory(), limit_of(RLIMIT_AS, 0), limit_of(RLIMIT_DATA, 0)});
}

size_t available_memory() {
  constexpr size_t kKiB = 1024;
  const size_t free = number_after(text_of_file("/proc/meminfo"), "MemAvailable:", kNoLimit / kKiB) * kKiB;
  const std::string own = text_of_file("/proc/self/status");
  return std::min({own_groups().left, machine_memory(), free,
                   limit_of(RLIMIT_AS, number_after(own, "VmSize:", 0) * kKiB),
                   limit_of(RLIMIT_DATA, number_after(own, "VmData:", 0) * kKiB)});
}

int64_t process_number() noexcept { return ::getpid(); }

}  // namespace bert
