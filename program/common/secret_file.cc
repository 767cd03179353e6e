#include "program/common/secret_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "bert/error.h"
#include "program/common/system_files.h"

namespace bert::common {
namespace {

class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : file_(open_file(path, OpenMode::kReadAtOnce)) {}
  ~OpenFile() {
    if (file_ >= 0) ::close(file_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int get() const { return file_; }

 private:
  const int file_;
};

const char* kind_of(std::filesystem::file_type type) {
  if (type == std::filesystem::file_type::directory) return "a directory";
  if (type == std::filesystem::file_type::fifo) return "a pipe";
  const bool is_device = type == std::filesystem::file_type::character || type == std::filesystem::file_type::block;
  return is_device ? "a device" : "no regular file";
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
  const std::optional<FileFacts> facts = facts_of(file.get());
  if (!facts) throw fail(errno);
  if (!facts->is_regular()) {
    throw Error(ErrorCode::kInvalidFile, what + " is " + kind_of(facts->type) + ", expected a file with " + holds);
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
