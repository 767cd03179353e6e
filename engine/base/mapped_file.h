// A file mapped for reading: its pages are in the page cache, shared by all processes, and read on first use.
//
// A weight file must be replaced by a rename (as tools/convert_weights.py does), never written in place: the mapping
// then keeps the old file. check_is_unchanged() detects a file that was written in place. If a file is truncated while
// it is mapped, reading its missing pages raises SIGBUS. A library must not change a process's signal handlers, but
// such a handler may call replace_missing_pages (bert/missing_pages.h). Immutable after opening; any number of threads
// may read at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "engine/base/file.h"

namespace bert {

class MappedFile {
 public:
  // Maps a file. Throws Error as RegularFile does, and if the file is written to meanwhile.
  static MappedFile open(const std::filesystem::path& path);
  static MappedFile map(RegularFile file);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  // Aligned to 4,096 bytes. The address does not change when the object is moved.
  std::span<const std::byte> bytes() const { return bytes_; }
  const RegularFile& file() const { return file_; }
  // Throws Error as RegularFile::check_is_unchanged does, and Error(kIo) if pages were replaced.
  void check_is_unchanged() const;

 private:
  MappedFile(RegularFile file, std::span<const std::byte> bytes);
  RegularFile file_;  // stays open
  std::span<const std::byte> bytes_;
  size_t place_ = SIZE_MAX;  // index in the table that replace_missing_pages reads
};

}  // namespace bert
