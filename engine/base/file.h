// Files that nobody vouches for: opened without hanging, checked to be regular, read up to a limit.
// Opening never waits: a FIFO or a device is refused after fstat of what was opened, so nothing can be swapped between.
// Stateless, except RegularFile, which owns one descriptor.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace bert {

// An open regular file. Throws Error naming the path and what stands there instead.
class RegularFile {
 public:
  static RegularFile open(const std::filesystem::path& path);
  // nullopt where nothing has this name. A link whose target is missing is an error: a download that did not finish.
  static std::optional<RegularFile> open_if_there(const std::filesystem::path& path);

  RegularFile(RegularFile&& other) noexcept;
  RegularFile& operator=(RegularFile&& other) noexcept;
  ~RegularFile();

  int descriptor() const { return descriptor_; }
  size_t size() const { return size_; }  // in bytes, when it was opened
  const std::filesystem::path& path() const { return path_; }
  void check_size_is_still(size_t size_bytes) const;  // throws Error(kInvalidFile) where the file was cut or grew

 private:
  RegularFile(std::filesystem::path path, int descriptor, size_t size)
      : path_(std::move(path)), descriptor_(descriptor), size_(size) {}
  std::filesystem::path path_;
  int descriptor_ = -1;
  size_t size_ = 0;
};

// The whole file. Throws Error: kNotFound, kIo, or kInvalidFile for more than max_bytes and for what is no regular
// file.
std::string read_text_file(const std::filesystem::path& path, size_t max_bytes);
std::optional<std::string> read_text_file_if_there(const std::filesystem::path& path, size_t max_bytes);

// True for a name that can stand for one file or directory inside another, and nothing else: letters, digits, '.', '_'
// and '-', not beginning with '.', '_' or '-', at most 255 bytes.
bool is_plain_file_name(std::string_view name);

// The real path of directory/relative, where `relative` was read from a file and so must not lead out: it has to stay
// in the directory, or, in the hub's local cache, whose snapshots are links to blobs, in the same models--… folder.
// Throws Error(kNotFound) where nothing is there, Error(kInvalidFile) naming where it leads. `source` names the file
// that `relative` was read from.
std::filesystem::path resolve_confined(const std::filesystem::path& directory, const std::filesystem::path& relative,
                                       std::string_view source);

}  // namespace bert
