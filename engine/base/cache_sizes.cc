#include "engine/base/cache_sizes.h"

#include <cctype>
#include <fstream>
#include <string>

namespace bert {
namespace {

std::string first_word(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

// Parses "64K"; returns 0 for any other text.
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
