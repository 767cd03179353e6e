#include "bindings/web/src/files.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace bert_web {

namespace {

// The size of a WebAssembly page; a mapping of the library begins at a multiple of this.
constexpr size_t kPage = 65536;

}  // namespace

Files& files() {
  static auto* const all = new Files;  // outlives every file that the library has open
  return *all;
}

std::string normal_path(std::string_view path) {
  std::string normal;
  while (!path.empty()) {
    const size_t length = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, length);
    if (part == "..") {
      normal.resize(normal.empty() ? 0 : normal.rfind('/'));
    } else if (!part.empty() && part != ".") {
      normal.append("/").append(part);
    }
    path.remove_prefix(std::min(length + 1, path.size()));
  }
  return normal.empty() ? "/" : normal;
}

bool is_folder(const std::string& path) {
  if (path == "/") return true;
  const auto first = files().lower_bound(path + "/");
  return first != files().end() && first->first.starts_with(path + "/");
}

// Allocates memory for a file of `bytes` bytes, into which the page writes the content. Returns null if there is no
// memory.
extern "C" __attribute__((export_name("add_file"))) char* add_file(const char* path, size_t bytes) {
  if (bytes > SIZE_MAX - 2 * kPage) return nullptr;
  auto* const data = static_cast<char*>(std::aligned_alloc(kPage, (bytes + kPage) / kPage * kPage));
  if (data == nullptr) return nullptr;
  const auto [place, is_new] = files().try_emplace(normal_path(path));
  if (!is_new) std::free(place->second.data);
  place->second = {data, bytes};
  return data;
}

// Removes a folder and everything in it. The caller must have freed every model loaded from the folder.
extern "C" __attribute__((export_name("remove_files"))) void remove_files(const char* folder) {
  const std::string inside = normal_path(folder) + "/";
  for (auto file = files().lower_bound(inside); file != files().end() && file->first.starts_with(inside);) {
    std::free(file->second.data);
    file = files().erase(file);
  }
}

}  // namespace bert_web
