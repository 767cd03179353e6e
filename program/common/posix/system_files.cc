#include "program/common/system_files.h"

#include <poll.h>
#include <sys/file.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "engine/base/posix/system.h"

extern char** environ;  // POSIX requires it; some systems' headers lack the declaration

namespace bert::common {
namespace fs = std::filesystem;
namespace {

int flags_of(OpenMode mode) {
  switch (mode) {
    case OpenMode::kRead:
      return O_RDONLY;
    case OpenMode::kReadAtOnce:
      return O_RDONLY | O_NONBLOCK | O_NOCTTY;
    case OpenMode::kWrite:
      return O_WRONLY;
    case OpenMode::kCreate:
      return O_RDWR | O_CREAT | O_EXCL;
    case OpenMode::kReadAndWrite:
      return O_RDWR | O_NOFOLLOW | O_NONBLOCK;
    case OpenMode::kOpenOrCreate:
      return O_RDWR | O_CREAT | O_NOFOLLOW;
    case OpenMode::kAppend:
      return O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW;
  }
  return O_RDONLY;
}

std::optional<FileFacts> facts(int result, const struct stat& status) {
  if (result != 0) return std::nullopt;
  return FileFacts{type_of(status.st_mode), static_cast<uint64_t>(status.st_size), static_cast<uint64_t>(status.st_dev),
                   static_cast<uint64_t>(status.st_ino)};
}

}  // namespace

int open_file(const std::string& path, OpenMode mode) { return open_uninterrupted(path.c_str(), flags_of(mode), 0666); }

int open_scratch_file(std::string& place) {
  const char* named = std::getenv("TMPDIR");
  place = std::string(named != nullptr && *named != '\0' ? named : "/tmp") + "/bert-infer.XXXXXX";
  const int file = ::mkostemp(place.data(), O_CLOEXEC);
  if (file >= 0) ::unlink(place.c_str());
  return file;
}

std::optional<FileFacts> facts_of(int file) {
  struct stat status = {};
  return facts(::fstat(file, &status), status);
}

std::optional<FileFacts> facts_of(const std::string& path) {
  struct stat status = {};
  return facts(::stat(path.c_str(), &status), status);
}

std::optional<FileFacts> facts_of_link(const std::string& path) {
  struct stat status = {};
  return facts(::lstat(path.c_str(), &status), status);
}

bool is_empty_file(const char* path) noexcept {
  struct stat status = {};
  return ::stat(path, &status) == 0 && status.st_size == 0;
}

bool lock_file(int file, Lock lock) {
  while (::flock(file, LOCK_EX | (lock == Lock::kAtOnce ? LOCK_NB : 0)) != 0) {
    if (errno != EINTR) return false;
  }
  return true;
}

bool write_all(int file, std::string_view bytes) noexcept { return write_uninterrupted(file, bytes); }

bool sync_file(int file) { return sync_uninterrupted(file); }

bool sync_folder(const std::string& path) {
  const int folder = open_uninterrupted(path.c_str(), O_RDONLY | O_DIRECTORY);
  if (folder < 0) return false;
  const bool is_synced = sync_file(folder);
  const int reason = errno;
  ::close(folder);
  errno = reason;
  return is_synced;
}

bool copy_permissions(const std::string& from, int to) {
  struct stat status = {};
  return ::stat(from.c_str(), &status) != 0 || ::fchmod(to, status.st_mode & 07777) == 0;
}

bool replace_file(const std::string& from, const std::string& to) {
  while (::rename(from.c_str(), to.c_str()) != 0) {
    if (errno != EINTR) return false;
  }
  return true;
}

bool link_file(const fs::path& target, const fs::path& name) { return ::symlink(target.c_str(), name.c_str()) == 0; }

bool wait_for_input(int file, int milliseconds) {
  struct pollfd input = {file, POLLIN, 0};
  return ::poll(&input, 1, milliseconds) > 0;
}

char** environment() { return environ; }

}  // namespace bert::common
