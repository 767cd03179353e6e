// A model's folder in the hub's local cache, written as the hub's own tool (huggingface_hub) writes it:
//   models--org--name/blobs/DIGEST             the content of a file; DIGEST.incomplete while it comes
//   models--org--name/snapshots/COMMIT/PATH    a link to it
//   models--org--name/refs/REVISION            the commit
//   .locks/models--org--name/DIGEST.lock       locked (flock) while the content comes
// A name in snapshots or refs appears when all that it leads to is on the disk. Used by one thread; any number of
// processes may write to one cache.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "program/fetch/hub.h"

namespace bert::fetch {

// A file that one process holds a lock on.
class FileLock {
 public:
  // Waits until no other process has the lock; before that `waits` is called. Throws Error(kIo).
  FileLock(const std::filesystem::path& path, const std::function<void()>& waits);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int file_ = -1;
};

class ModelFolder {
 public:
  // Makes the folders, and waits until no other process fetches this model; note: a line that says so. Throws
  // Error(kIo), as all of its functions, with the path and the system's reason.
  ModelFolder(const std::filesystem::path& cache, const std::string& model,
              const std::function<void(const std::string&)>& note);

  std::filesystem::path blob(const RemoteFile& file) const;
  bool has(const RemoteFile& file) const;  // its content, with its size
  // Whether the content has the file's digest; if not, it is removed, and a note says so.
  bool keep_if_intact(const RemoteFile& file) const;
  uint64_t begun_bytes(const RemoteFile& file) const;  // of it, by an earlier run

  // Throws Error(kIo) if the disk has less room than this.
  void require_room(uint64_t bytes) const;

  // Makes the content complete by `read`, which appends to the sink. Its digest is checked; where the bytes of an
  // earlier run spoil it, all is read again. Throws Error(kInvalidFile) for a wrong digest, and what `read` throws.
  void fill(const RemoteFile& file, const std::function<void(FileSink&)>& read);

  // The snapshot with these files, which must be there, and the revision that leads to it. Returns the directory.
  std::filesystem::path publish(const std::string& commit, const std::string& revision,
                                const std::vector<RemoteFile>& files) const;

 private:
  std::filesystem::path cache_, folder_, locks_;
  std::function<void(const std::string&)> note_;
  std::unique_ptr<FileLock> lock_;
};

}  // namespace bert::fetch
