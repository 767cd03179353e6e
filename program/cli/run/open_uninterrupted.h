// Calls open(2) again after a signal interrupts it; returns -1 with errno for other failures.
#pragma once

#include <fcntl.h>

#include <cerrno>
#include <string>

namespace bert::cli {

inline int open_uninterrupted(const std::string& path, int flags, mode_t mode = 0) {
  while (true) {
    const int file = ::open(path.c_str(), flags | O_CLOEXEC, mode);
    if (file >= 0 || errno != EINTR) return file;
  }
}

}  // namespace bert::cli
