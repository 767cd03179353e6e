#include "program/common/secret_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "bert/error.h"

namespace bert::common {
namespace {

class OpenFile {
 public:
  explicit OpenFile(const std::string& path) {
    do {
      file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    } while (file_ < 0 && errno == EINTR);
  }
  ~OpenFile() {
    if (file_ >= 0) ::close(file_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int get() const { return file_; }

 private:
  int file_ = -1;
};

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  return "no regular file";
}

}  // namespace

std::optional<std::string> read_secret_file_if_there(const std::string& path, const std::string& holds, size_t most) {
  const std::string what = "'" + path + "'";
  const auto fail = [&](int reason) -> Error {
    return {ErrorCode::kIo, what + ": " + std::strerror(reason) + ", expected a file with " + holds};
  };
  const OpenFile file(path);
  if (file.get() < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    throw fail(errno);
  }
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0) throw fail(errno);
  if (!S_ISREG(status.st_mode)) {
    throw Error(ErrorCode::kInvalidFile, what + " is " + kind_of(status.st_mode) + ", expected a file with " + holds);
  }
  std::string text;
  char block[4096];
  while (true) {
    const ssize_t bytes = ::read(file.get(), block, sizeof(block));
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) throw fail(errno);
    if (bytes == 0) return text;
    text.append(block, static_cast<size_t>(bytes));
    if (text.size() > most) {
      throw Error(ErrorCode::kInvalidFile,
                  what + " has more than " + std::to_string(most) + " bytes, expected a file with " + holds);
    }
  }
}

std::string read_secret_file(const std::string& path, const std::string& holds, size_t most) {
  if (auto text = read_secret_file_if_there(path, holds, most)) return *std::move(text);
  throw Error(ErrorCode::kNotFound, "'" + path + "' does not exist, expected a file with " + holds);
}

}  // namespace bert::common
