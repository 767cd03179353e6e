#include "program/fetch/model_folder.h"

#include <unistd.h>

#include <cerrno>
#include <memory>
#include <system_error>

#include "bert/error.h"
#include "bert/quantize.h"
#include "engine/base/file.h"
#include "engine/base/quote.h"
#include "program/common/system_files.h"
#include "program/fetch/git_blob.h"

namespace bert::fetch {
namespace fs = std::filesystem;
namespace {

Error failure(const std::string& what, const fs::path& path, const std::error_code& reason) {
  return {ErrorCode::kIo, what + " " + quote_path(path.string()) + ": " + reason.message()};
}

Error failure(const std::string& what, const fs::path& path, int reason) {
  return failure(what, path, std::error_code(reason, std::generic_category()));
}

void make_folders(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw failure("cannot create", path, error);
}

void rename_to(const fs::path& from, const fs::path& to) {
  if (!common::replace_file(from.string(), to.string())) throw failure("cannot create", to, errno);
}

// Opens a file without following links, because the name is this program's own.
int open_file(const fs::path& path, common::OpenMode mode) {
  const int file = common::open_file(path.string(), mode);
  if (file < 0) throw failure("cannot open", path, errno);
  return file;
}

// The bytes of a file's content that have arrived.
class IncompleteFile : public FileSink {
 public:
  explicit IncompleteFile(fs::path path) : path_(std::move(path)), file_(open_file(path_, common::OpenMode::kAppend)) {
    const auto facts = common::facts_of(file_);
    if (!facts) fail();
    if (!facts->is_regular()) {
      ::close(file_);
      throw Error(ErrorCode::kIo, quote_path(path_.string()) + " is no regular file, expected one");
    }
    size_ = facts->bytes;
  }
  ~IncompleteFile() override { ::close(file_); }
  IncompleteFile(const IncompleteFile&) = delete;
  IncompleteFile& operator=(const IncompleteFile&) = delete;

  uint64_t size() const override { return size_; }
  void restart() override {
    if (::ftruncate(file_, 0) != 0) throw failure("cannot empty", path_, errno);
    size_ = 0;
  }
  void add(std::string_view bytes) override {
    if (!common::write_all(file_, bytes)) throw failure("cannot write", path_, errno);
    size_ += bytes.size();
  }
  void sync() const {
    if (!common::sync_file(file_)) throw failure("cannot write", path_, errno);
  }

 private:
  void fail() const {
    const int reason = errno;
    ::close(file_);
    throw failure("cannot open", path_, reason);
  }

  fs::path path_;
  int file_;
  uint64_t size_ = 0;
};

std::string digest_of(const fs::path& path, const RemoteFile& file) {
  return file.has_sha256() ? file_sha256(path) : git_blob_name(path);
}

// Returns a name beside `path` that only this process uses.
fs::path temporary(const fs::path& path) {
  return path.parent_path() / ("." + path.filename().string() + "." + std::to_string(::getpid()));
}

void write_whole(const fs::path& path, const std::string& text) {
  const fs::path scratch = temporary(path);
  {
    IncompleteFile file(scratch);
    file.restart();
    file.add(text);
    file.sync();
  }
  rename_to(scratch, path);
}

// Returns "../../blobs/DIGEST" for a file of the snapshot; one folder up for each folder in its path.
fs::path link_target(const RemoteFile& file) {
  fs::path up = "../..";
  for (const char c : file.path) {
    if (c == '/') up /= "..";
  }
  return up / "blobs" / file.digest;
}

void make_link(const fs::path& target, const fs::path& path) {
  const fs::path scratch = temporary(path);
  std::error_code none;
  fs::remove(scratch, none);
  if (!common::link_file(target, scratch)) throw failure("cannot create the link", scratch, errno);
  rename_to(scratch, path);
}

}  // namespace

FileLock::FileLock(const fs::path& path, const std::function<void()>& waits)
    : file_(open_file(path, common::OpenMode::kOpenOrCreate)) {
  bool is_locked = common::lock_file(file_, common::Lock::kAtOnce);
  if (!is_locked && errno == EWOULDBLOCK) {
    waits();
    is_locked = common::lock_file(file_, common::Lock::kWait);
  }
  if (is_locked) return;
  const int reason = errno;
  ::close(file_);
  throw failure("cannot lock", path, reason);
}

FileLock::~FileLock() { ::close(file_); }

ModelFolder::ModelFolder(const fs::path& cache, const std::string& model,
                         const std::function<void(const std::string&)>& note)
    : cache_(cache),
      folder_(cache / hub_folder_name(model)),
      locks_(cache / ".locks" / hub_folder_name(model)),
      note_(note) {
  for (const fs::path& path : {folder_ / "blobs", folder_ / "snapshots", folder_ / "refs", locks_}) make_folders(path);
  lock_ = std::make_unique<FileLock>(locks_ / "fetch.lock",
                                     [&] { note_(quote(model) + ": another process fetches it; waiting"); });
}

fs::path ModelFolder::blob(const RemoteFile& file) const { return folder_ / "blobs" / file.digest; }

bool ModelFolder::has(const RemoteFile& file) const {
  std::error_code error;
  return fs::is_regular_file(blob(file), error) && fs::file_size(blob(file), error) == file.bytes && !error;
}

bool ModelFolder::keep_if_intact(const RemoteFile& file) const {
  const std::string digest = digest_of(blob(file), file);
  if (digest == file.digest) return true;
  note_(quote(file.path) + ": the " + (file.has_sha256() ? "SHA-256" : "git digest") + " of " +
        quote_path(blob(file).string()) + " is " + digest + ", expected " + file.digest + "; it is fetched anew");
  std::error_code error;
  if (!fs::remove(blob(file), error)) throw failure("cannot remove", blob(file), error);
  return false;
}

uint64_t ModelFolder::begun_bytes(const RemoteFile& file) const {
  std::error_code error;
  const uintmax_t bytes = fs::file_size(blob(file).string() + ".incomplete", error);
  return error || bytes > file.bytes ? 0 : bytes;
}

void ModelFolder::require_room(uint64_t bytes) const {
  std::error_code error;
  const fs::space_info space = fs::space(folder_, error);
  if (error) throw failure("cannot examine the disk of", folder_, error);
  if (space.available >= bytes) return;
  throw Error(ErrorCode::kIo, "the disk of " + quote_path(cache_.string()) + " has " + std::to_string(space.available) +
                                  " bytes free, expected " + std::to_string(bytes) + " for the files to fetch");
}

void ModelFolder::fill(const RemoteFile& file, const std::function<void(FileSink&)>& read) {
  const FileLock lock(locks_ / (file.digest + ".lock"),
                      [&] { note_(quote(file.path) + ": another process fetches it; waiting"); });
  if (has(file)) return;
  const fs::path path = blob(file).string() + ".incomplete";
  IncompleteFile incomplete(path);
  for (bool goes_on = incomplete.size() > 0;; goes_on = false) {
    read(incomplete);
    incomplete.sync();
    const std::string digest = digest_of(path, file);
    if (digest == file.digest) break;
    incomplete.restart();
    if (goes_on) {
      note_(quote(file.path) + ": the bytes of an earlier try are not the file's; it is fetched anew");
      continue;
    }
    throw Error(ErrorCode::kInvalidFile, quote(file.path) + ": found bytes whose " +
                                             (file.has_sha256() ? "SHA-256" : "git digest") + " is " + digest +
                                             ", expected " + file.digest);
  }
  rename_to(path, blob(file));
}

fs::path ModelFolder::publish(const std::string& commit, const std::string& revision,
                              const std::vector<RemoteFile>& files) const {
  const fs::path snapshot = folder_ / "snapshots" / commit;
  // A new snapshot gets its name when it is complete; missing files are added to one that another program began.
  const bool is_new = !directory_exists(snapshot);
  const fs::path place = is_new ? folder_ / ".unfinished" / commit : snapshot;
  if (is_new) {
    std::error_code error;
    fs::remove_all(place, error);
  }
  for (const RemoteFile& file : files) {
    const fs::path path = place / file.path;
    std::error_code error;
    if (!is_new && fs::is_regular_file(path, error) && fs::file_size(path, error) == file.bytes) continue;
    make_folders(path.parent_path());
    make_link(link_target(file), path);
  }
  if (is_new) {
    rename_to(place, snapshot);
    std::error_code error;
    fs::remove(place.parent_path(), error);
  }
  if (revision != commit) {
    const fs::path ref = folder_ / "refs" / revision;
    make_folders(ref.parent_path());
    write_whole(ref, commit);
  }
  return snapshot;
}

}  // namespace bert::fetch
