#include "engine/base/cache_sizes.h"

#include <unistd.h>

#if defined(__APPLE__)
#include <sys/sysctl.h>
#endif

#include <cctype>
#include <fstream>
#include <string>

namespace bert {
namespace {

#if defined(__APPLE__)
// Not tried on a Mac. perflevel0: of the fast cores.
long system_value(const char* name) {
  int64_t value = 0;
  size_t bytes = sizeof value;
  return sysctlbyname(name, &value, &bytes, nullptr, 0) == 0 ? static_cast<long>(value) : 0;
}
#endif

std::string first_word(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

// "64K"; 0 for anything else.
long bytes_of(const std::string& size) {
  if (size.size() < 2 || size.size() > 9 || size.back() != 'K') return 0;
  long kib = 0;
  for (size_t i = 0; i + 1 < size.size(); ++i) {
    if (std::isdigit(static_cast<unsigned char>(size[i])) == 0) return 0;
    kib = 10 * kib + (size[i] - '0');
  }
  return kib << 10;
}

}  // namespace

CacheSizes cache_sizes() {
#if defined(__APPLE__)
  return cache_sizes_of(system_value("hw.perflevel0.l1dcachesize"), system_value("hw.perflevel0.l2cachesize"));
#elif defined(_SC_LEVEL1_DCACHE_SIZE) && defined(_SC_LEVEL2_CACHE_SIZE)
  // A glibc extension; on x86-64 glibc reads the sizes from CPUID, on ARM it may have none.
  const long l1_data = sysconf(_SC_LEVEL1_DCACHE_SIZE);
  const long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (l1_data > 0 && l2 > 0) return cache_sizes_of(l1_data, l2);
#endif
  return cache_sizes_in("/sys/devices/system/cpu/cpu0/cache");
}

CacheSizes cache_sizes_in(const std::filesystem::path& directory) {
  long l1_data = 0;
  long l2 = 0;
  for (int i = 0; i < 4; ++i) {
    const std::filesystem::path index = directory / ("index" + std::to_string(i));
    const std::string level = first_word(index / "level");
    const std::string type = first_word(index / "type");
    if (type == "Instruction") continue;
    if (level == "1") l1_data = bytes_of(first_word(index / "size"));
    if (level == "2") l2 = bytes_of(first_word(index / "size"));
  }
  return cache_sizes_of(l1_data, l2);
}

CacheSizes cache_sizes_of(long l1_data, long l2) {
  return {.l1_data = l1_data > 0 ? static_cast<size_t>(l1_data) : size_t{32} << 10,
          .l2 = l2 > 0 ? static_cast<size_t>(l2) : size_t{1} << 20};
}

}  // namespace bert
