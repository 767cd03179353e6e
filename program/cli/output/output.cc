#include "program/cli/output/output.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "engine/base/utf8_path.h"
#include "program/cli/output/console.h"
#include "program/common/system_files.h"
#include "program/common/terminal.h"

namespace bert::cli {
namespace fs = std::filesystem;
using common::FileFacts;
using common::OpenMode;
namespace {

constexpr size_t kBufferBytes = 256 * 1024;
constexpr int kMostPartials = 100;  // for one name

// Returns nullopt if the file does not exist yet.
std::optional<FileFacts> find_target(const std::string& name) {
  return is_standard_output(name) ? common::facts_of(STDOUT_FILENO) : common::facts_of(name);
}

// Opens and empties a file that no run has locked; returns -1 if there is no such file.
int open_leftover(const std::string& path) {
  const int file = common::open_file(path, OpenMode::kReadAndWrite);
  if (file < 0) return -1;
  if (common::lock_file(file, common::Lock::kAtOnce)) {
    const auto opened = common::facts_of(file);
    const auto named = common::facts_of_link(path);
    const bool is_named = opened && named && opened->is_regular() && opened->is_same_file(*named);
    if (is_named && ::ftruncate(file, 0) == 0) return file;
  }
  ::close(file);
  return -1;
}

}  // namespace

bool is_standard_output(const std::string& name) { return name.empty() || name == "-"; }

bool is_same_target(const std::string& one, const std::string& other) {
  const auto first = find_target(one), second = find_target(other);
  if (first && second) return first->is_same_file(*second);
  if (first || second || is_standard_output(one) || is_standard_output(other)) return false;
  std::error_code error;  // set for a folder that cannot be searched; the names then differ
  const fs::path path = fs::weakly_canonical(fs::absolute(one, error), error);
  return !error && path == fs::weakly_canonical(fs::absolute(other, error), error);
}

Output::Output(const std::string& name, Access access) : access_(access) {
  if (is_standard_output(name)) {
    target_ = STDOUT_FILENO;
    target_name_ = "standard output";
    terminal_ = common::is_terminal(target_);
    // Standard output may be a file to which others append, so positions in it cannot be chosen.
    if (access == Access::kSeekable) open_spool();
  } else {
    target_name_ = in_quotes(name);
    open_file(name, access == Access::kSeekable);
  }
}

Output::Output(const std::string& name, Access access, uint64_t kept_bytes)
    : access_(access), target_name_(in_quotes(name)), kept_bytes_(kept_bytes), position_(kept_bytes) {
  open_file(name, access == Access::kSeekable);
}

Output::~Output() {
  if (spool_ >= 0) ::close(spool_);
  if (target_ >= 0 && target_ != STDOUT_FILENO) ::close(target_);
  if (committed_ || partial_path_.empty() || kept_bytes_) return;
  const auto facts = common::facts_of(partial_path_);
  // A partial npy or npz file is useless.
  if ((facts && facts->bytes == 0) || access_ == Access::kSeekable) ::unlink(partial_path_.c_str());
}

void Output::open_file(const std::string& name, bool seekable) {
  std::error_code error;
  const fs::file_status status = fs::status(name, error);
  const bool exists = fs::exists(status);
  if (exists && fs::is_directory(status)) throw OutputError("cannot write " + target_name_ + ": it is a directory");
  if (exists && !fs::is_regular_file(status)) {
    target_ = common::open_file(name, OpenMode::kWrite);
    if (target_ < 0) fail("cannot open " + target_name_);
    terminal_ = common::is_terminal(target_);
    if (seekable) open_spool();
    return;
  }
  if (!exists && fs::is_symlink(fs::symlink_status(name, error))) {
    throw OutputError("cannot write " + target_name_ + ": it is a link to " +
                      in_quotes(fs::read_symlink(name, error).string()) + ", which is not there");
  }
  // A link stays a link; its target is replaced.
  const fs::path real = exists ? fs::canonical(name, error) : fs::path(name);
  final_path_ = error ? name : real.string();
  if (exists && ::access(final_path_.c_str(), W_OK) != 0) fail("cannot write " + target_name_);
  kept_bytes_ ? open_kept() : open_partial();
  if (exists && !common::copy_permissions(final_path_, target_)) {
    const int reason = errno;
    ::close(target_);
    if (!kept_bytes_) ::unlink(partial_path_.c_str());
    errno = reason;
    fail("cannot give " + in_quotes(partial_path_) + " its mode");
  }
}

// Creates the partial file. An existing file may belong to the user, a killed run or another run, so it is not
// overwritten while there is a free name. Otherwise takes a file that no run is writing.
void Output::open_partial() {
  const PostponedSignals postponed;  // until the created file is registered
  const auto name = [&](int n) { return final_path_ + ".partial" + (n == 1 ? "" : "." + std::to_string(n)); };
  for (int n = 1; n <= kMostPartials && target_ < 0; ++n) {
    partial_path_ = name(n);
    target_ = common::open_file(partial_path_, OpenMode::kCreate);
    if (target_ >= 0) (void)common::lock_file(target_, common::Lock::kAtOnce);  // a new file has no other lock
    if (target_ < 0 && errno != EEXIST) {
      const std::string path = std::exchange(partial_path_, "");
      fail("cannot create " + in_quotes(path));
    }
  }
  for (int n = 1; n <= kMostPartials && target_ < 0; ++n) {
    partial_path_ = name(n);
    target_ = open_leftover(partial_path_);
  }
  if (target_ < 0) {
    partial_path_.clear();
    throw OutputError("cannot create " + in_quotes(name(1)) +
                      ": it is being written by another run, and so are .2 to ." + std::to_string(kMostPartials) +
                      " of it");
  }
  unfinished_.emplace(partial_path_, access_ == Access::kStream);
}

void Output::open_kept() {
  const PostponedSignals postponed;
  partial_path_ = final_path_ + ".unfinished";
  target_ = common::open_file(partial_path_, OpenMode::kOpenOrCreate);
  const auto facts = target_ < 0 ? std::nullopt : common::facts_of(target_);
  if (!facts) fail("cannot open " + in_quotes(partial_path_));
  if (facts->bytes < *kept_bytes_) {
    throw OutputError(in_quotes(partial_path_) + " has " + std::to_string(facts->bytes) + " bytes, expected at least " +
                      std::to_string(*kept_bytes_) + ", which an earlier run wrote");
  }
  const auto size = static_cast<off_t>(*kept_bytes_);
  if (::ftruncate(target_, size) != 0 || ::lseek(target_, size, SEEK_SET) < 0) {
    fail("cannot go on in " + in_quotes(partial_path_));
  }
  unfinished_.emplace(partial_path_, true);
}

void Output::open_spool() {
  std::string place;
  spool_ = common::open_scratch_file(place);
  if (spool_ < 0) fail("cannot create a temporary file " + in_quotes(place));
}

TextStyle Output::style() const {
  if (!terminal_) return {};
  return {.color = wants_color(STDOUT_FILENO), .columns = common::terminal_columns(target_)};
}

void Output::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > kBufferBytes) access_ == Access::kStream ? flush_lines() : flush();
  if (bytes.size() >= kBufferBytes) {
    flush();
    write_all(spool_ >= 0 ? spool_ : target_, bytes, spool_ >= 0 ? "a temporary file" : target_name_);
  } else {
    buffer_ += bytes;
  }
  position_ += bytes.size();
}

// Flushes whole lines and keeps the beginning of a line. Flushes the whole buffer if it contains no line end.
void Output::flush_lines() {
  const size_t end = buffer_.rfind('\n');
  if (end == buffer_.npos) return flush();
  std::string rest = buffer_.substr(end + 1);
  buffer_.resize(end + 1);
  flush();
  buffer_ = std::move(rest);
}

void Output::keep_partial() {
  flush();
  if (partial_path_.empty()) return;
  unfinished_.reset();
  unfinished_.emplace(partial_path_, true);
}

void Output::flush() {
  write_all(spool_ >= 0 ? spool_ : target_, buffer_, spool_ >= 0 ? "a temporary file" : target_name_);
  buffer_.clear();
}

void Output::sync() {
  flush();
  if (!common::sync_file(target_)) fail("cannot write " + target_name_);
}

void Output::seek(uint64_t position) {
  flush();
  if (::lseek(spool_ >= 0 ? spool_ : target_, static_cast<off_t>(position), SEEK_SET) < 0) {
    fail("cannot go back in " + target_name_);
  }
  position_ = position;
}

void Output::commit() {
  flush();
  if (spool_ >= 0) copy_spool();
  if (target_ != STDOUT_FILENO) {
    if (!final_path_.empty() && !common::sync_file(target_)) fail("cannot write " + target_name_);
    const int file = std::exchange(target_, -1);
    if (::close(file) != 0 && errno != EINTR) fail("cannot write " + target_name_);
  }
  const PostponedSignals postponed;  // until the renamed file is no longer registered as unfinished
  if (!final_path_.empty() && !common::replace_file(partial_path_, final_path_)) {
    fail("cannot rename " + in_quotes(partial_path_) + " to " + target_name_, kReplacementHint);
  }
  unfinished_.reset();
  committed_ = true;
}

void Output::copy_spool() {
  if (::lseek(spool_, 0, SEEK_SET) != 0) fail("cannot read a temporary file");
  std::string chunk(kBufferBytes, '\0');
  while (true) {
    const ssize_t count = ::read(spool_, chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("cannot read a temporary file");
    if (count == 0) return;
    write_all(target_, std::string_view(chunk).substr(0, static_cast<size_t>(count)), target_name_);
  }
}

void Output::write_all(int file, std::string_view bytes, const std::string& what) {
  if (!common::write_all(file, bytes)) fail("cannot write " + what);
}

void Output::fail(const std::string& what, const std::string& why) const {
  const int reason = errno;
  std::string message = what + ": " + std::strerror(reason) + why;
  if (!partial_path_.empty() && (kept_bytes_ || access_ == Access::kStream) && position_ > buffer_.size()) {
    message += "; what was written before is in " + in_quotes(partial_path_);
  }
  if (reason == EPIPE) throw ClosedPipe(message);
  throw OutputError(message);
}

}  // namespace bert::cli
