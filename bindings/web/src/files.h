// The files that the library sees. A page has no file system, so it gives files in memory, each by a path. A folder
// exists while a file's path leads through the folder. Used in one thread.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace bert_web {

// The data come from aligned_alloc; remove_files frees them.
struct File {
  char* data = nullptr;
  size_t bytes = 0;
};

using Files = std::map<std::string, File, std::less<>>;

Files& files();

// Returns the path in the table's form: absolute, without "." and without "/" at the end.
std::string normal_path(std::string_view path);

bool is_folder(const std::string& path);

}  // namespace bert_web
