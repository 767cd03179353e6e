// A model's folder in the hub's local cache, written as the hub's own tool (huggingface_hub) writes it:
//   models--org--name/blobs/DIGEST             the content of a file; DIGEST.incomplete while it comes
//   models--org--name/snapshots/COMMIT/PATH    a link to it
//   models--org--name/refs/REVISION            the commit
// .locks/models--org--name/DIGEST.lock       locked (flock) while the content is fetched
// A name in snapshots or refs appears only when everything that it leads to is on the disk. Used by one thread; any
// number of processes may write to one cache.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "program/fetch/hub.h"

namespace bert::fetch {

// A lock on a file, for one process at a time.
class FileLock {
 public:
  // Waits until no other process has the lock; calls `waits` before it waits. Throws Error(kIo).
  FileLock(const std::filesystem::path& path, const std::function<void()>& waits);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int file_ = -1;
};

class ModelFolder {
 public:
  // Creates the folders, and waits until no other process fetches this model; note: receives a line that says so.
  // Throws Error(kIo), with the path and the system's reason, as all functions of this class.
  ModelFolder(const std::filesystem::path& cache, const std::string& model,
              const std::function<void(const std::string&)>& note);

  std::filesystem::path blob(const RemoteFile& file) const;
  bool has(const RemoteFile& file) const;  // the content is there, with its size
  // Returns whether the content has the file's digest; if not, removes it and notes that.
  bool keep_if_intact(const RemoteFile& file) const;
  uint64_t begun_bytes(const RemoteFile& file) const;  // bytes that an earlier run fetched

  // Throws Error(kIo) if the disk has less room.
  void require_room(uint64_t bytes) const;

  // Completes the content by `read`, which appends to the sink, and checks its digest; if the bytes of an earlier run
  // are wrong, reads everything again. Throws Error(kInvalidFile) for a wrong digest, and what `read` throws.
  void fill(const RemoteFile& file, const std::function<void(FileSink&)>& read);

  // Writes the snapshot with these files, which must be there, and the revision that leads to it. Returns the
  // directory.
  std::filesystem::path publish(const std::string& commit, const std::string& revision,
                                const std::vector<RemoteFile>& files) const;

 private:
  std::filesystem::path cache_, folder_, locks_;
  std::function<void(const std::string&)> note_;
  std::unique_ptr<FileLock> lock_;
};

}  // namespace bert::fetch
