// Calls of POSIX that a signal does not interrupt, and the type of a file. Functions that fail set errno.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <string_view>

namespace bert {

// Opens a file, which programs that this one starts do not inherit. mode: of a file that is created. Returns its
// descriptor, or -1.
inline int open_uninterrupted(const char* path, int flags, mode_t mode = 0) {
  int file = -1;
  do file = ::open(path, flags | O_CLOEXEC, mode);
  while (file < 0 && errno == EINTR);
  return file;
}

// Writes all bytes. Safe in a signal handler.
inline bool write_uninterrupted(int file, std::string_view bytes) noexcept {
  constexpr size_t kMostBytes = 1 << 30;  // of a call; macOS refuses more than 2^31 - 1
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), std::min(bytes.size(), kMostBytes));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

// Waits until the file's bytes are on the disk. A file system without a disk is no failure.
inline bool sync_uninterrupted(int file) {
  while (::fsync(file) != 0) {
    if (errno == EINVAL || errno == ENOTSUP) return true;
    if (errno != EINTR) return false;
  }
  return true;
}

inline std::filesystem::file_type type_of(mode_t mode) {
  using std::filesystem::file_type;
  if (S_ISREG(mode)) return file_type::regular;
  if (S_ISDIR(mode)) return file_type::directory;
  if (S_ISLNK(mode)) return file_type::symlink;
  if (S_ISFIFO(mode)) return file_type::fifo;
  if (S_ISSOCK(mode)) return file_type::socket;
  if (S_ISCHR(mode)) return file_type::character;
  if (S_ISBLK(mode)) return file_type::block;
  return file_type::unknown;
}

}  // namespace bert
