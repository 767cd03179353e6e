// An open file of the operating system, used by RegularFile (engine/base/file.h) and for new files. Functions return
// the system's error, which the caller turns into a message. engine/base/posix/ and windows/ implement it. Owns the
// descriptor; not thread-safe, except that any number of threads may read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace bert {

struct FileStatus {
  std::filesystem::file_type type = std::filesystem::file_type::none;
  uint64_t bytes = 0;
  int64_t modified_ns = 0;  // since the system's epoch
  uint64_t inode = 0;       // the file's number on its disk
};

class Descriptor {
 public:
  Descriptor() = default;  // no file is open
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  // Opens a file for reading. Does not wait for a FIFO's writer.
  static Descriptor open(const std::filesystem::path& path, std::error_code& error);
  // Creates a file for writing; an existing file is an error. The process's umask reduces the permissions.
  static Descriptor create(const std::filesystem::path& path, std::filesystem::perms permissions,
                           std::error_code& error);

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }

  FileStatus status(std::error_code& error) const;
  // Reads from this offset and returns the number of bytes read: fewer than requested only at the file's end or with an
  // error.
  size_t read_at(uint64_t offset, std::span<char> bytes, std::error_code& error) const;
  std::error_code write(std::span<const std::byte> bytes);
  // Waits until the file's bytes, or the names in a directory, are on the disk. Returns no error if the file system
  // does not support this.
  std::error_code sync();

 private:
  explicit Descriptor(int number) : number_(number) {}
  int number_ = -1;
};

// Returns the first name in a directory, in sorted order, that begins with `prefix` and does not contain `without`;
// nullopt if there is none or the directory cannot be read. Throws std::bad_alloc, where the standard library's
// iterator would end the process.
std::optional<std::string> first_name(const std::filesystem::path& directory, std::string_view prefix,
                                      std::string_view without);

}  // namespace bert
