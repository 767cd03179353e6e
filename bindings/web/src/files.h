// The files that the library sees: a page has no file system, so it gives files in memory, by paths. A folder is there
// while a path leads through it. Used in one thread.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace bert_web {

// The bytes are of aligned_alloc; remove_files frees them.
struct File {
  char* data = nullptr;
  size_t bytes = 0;
};

using Files = std::map<std::string, File, std::less<>>;

Files& files();

// The path in the table's form: absolute, without "." and a "/" at its end.
std::string normal_path(std::string_view path);

bool is_folder(const std::string& path);

}  // namespace bert_web
