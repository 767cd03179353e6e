// An open file as the system has it: what RegularFile (engine/base/file.h) and a new file are made of. Errors are the
// system's, and the caller words them. engine/base/posix/ implements it. Owns what it opened; not thread-safe, except
// that any number of threads may read.
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
  Descriptor() = default;  // of no file
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  // For reading. Does not wait for a FIFO's writer.
  static Descriptor open(const std::filesystem::path& path, std::error_code& error);
  // For writing a file that was not there. The process's mask (umask) takes its part of the permissions.
  static Descriptor create(const std::filesystem::path& path, std::filesystem::perms permissions,
                           std::error_code& error);

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }

  FileStatus status(std::error_code& error) const;
  // How many bytes were read from this offset: fewer than asked for only at the file's end or with an error.
  size_t read_at(uint64_t offset, std::span<char> bytes, std::error_code& error) const;
  std::error_code write(std::span<const std::byte> bytes);
  // Waits until the file, or the names in a directory, are on the disk. No error where a file system cannot say.
  std::error_code sync();

 private:
  explicit Descriptor(int number) : number_(number) {}
  int number_ = -1;
};

// The first name in a directory, in the order of names, that begins with `prefix` and does not contain `without`;
// nullopt for none, and for a directory that cannot be read. The standard library's iterator ends the process where it
// has no memory; this throws.
std::optional<std::string> first_name(const std::filesystem::path& directory, std::string_view prefix,
                                      std::string_view without);

}  // namespace bert
