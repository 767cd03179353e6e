#include "engine/base/descriptor.h"

#include <dirent.h>

#include <cerrno>
#include <memory>
#include <new>

#include "engine/base/posix/system.h"

namespace bert {
namespace fs = std::filesystem;
namespace {

std::error_code system_error(int number) { return {number, std::system_category()}; }

int64_t modification_time_ns(const struct stat& status) {
#if defined(__APPLE__)
  const timespec time = status.st_mtimespec;
#else
  const timespec time = status.st_mtim;
#endif
  // Computed unsigned, because a time after the year 2262 wraps around.
  return static_cast<int64_t>(static_cast<uint64_t>(time.tv_sec) * 1000000000u + static_cast<uint64_t>(time.tv_nsec));
}

}  // namespace

Descriptor Descriptor::open(const fs::path& path, std::error_code& error) {
  // O_NONBLOCK has no effect on regular files.
  const int number = open_uninterrupted(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY);
  error = number < 0 ? system_error(errno) : std::error_code();
  return Descriptor(number);
}

Descriptor Descriptor::create(const fs::path& path, fs::perms permissions, std::error_code& error) {
  const int number =
      open_uninterrupted(path.c_str(), O_WRONLY | O_CREAT | O_EXCL, static_cast<mode_t>(permissions & fs::perms::all));
  error = number < 0 ? system_error(errno) : std::error_code();
  return Descriptor(number);
}

Descriptor::~Descriptor() {
  if (is_open()) ::close(number_);
}

FileStatus Descriptor::status(std::error_code& error) const {
  struct stat found = {};
  error = ::fstat(number_, &found) == 0 ? std::error_code() : system_error(errno);
  if (error) return {};
  return {.type = type_of(found.st_mode),
          .bytes = static_cast<uint64_t>(found.st_size),
          .modified_ns = modification_time_ns(found),
          .inode = static_cast<uint64_t>(found.st_ino)};
}

size_t Descriptor::read_at(uint64_t offset, std::span<char> bytes, std::error_code& error) const {
  error.clear();
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::pread(number_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) error = system_error(errno);
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

std::error_code Descriptor::write(std::span<const std::byte> bytes) {
  const std::string_view characters(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return write_uninterrupted(number_, characters) ? std::error_code() : system_error(errno);
}

std::error_code Descriptor::sync() { return sync_uninterrupted(number_) ? std::error_code() : system_error(errno); }

std::optional<std::string> first_name(const fs::path& directory, std::string_view prefix, std::string_view without) {
  const std::unique_ptr<DIR, int (*)(DIR*)> opened(::opendir(directory.c_str()), ::closedir);
  if (opened == nullptr) {
    if (errno == ENOMEM) throw std::bad_alloc();
    return std::nullopt;
  }
  std::optional<std::string> first;
  while (const dirent* entry = ::readdir(opened.get())) {
    const std::string_view name = entry->d_name;
    if (!name.starts_with(prefix) || name.find(without) != name.npos) continue;
    if (!first || name < *first) first = name;
  }
  return first;
}

}  // namespace bert
