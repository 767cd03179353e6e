// A file mapped for reading: its pages are in the page cache, shared by all processes, and read on first use.
//
// A weight file must be replaced by a rename (as tools/convert_weights.py does), never written in place: the mapping
// then keeps the old file. A file that was written in place is found by check_is_unchanged(). For the missing pages of
// one that is truncated while it is mapped, the kernel raises SIGBUS: a library must not change the signal handlers of
// a process, but a process's handler may call replace_missing_pages (bert/missing_pages.h). Immutable after opening;
// any number of threads may read at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "engine/base/file.h"

namespace bert {

class MappedFile {
 public:
  // Throws Error as RegularFile does, and if the file is written meanwhile.
  static MappedFile open(const std::filesystem::path& path);
  static MappedFile map(RegularFile file);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  // At a multiple of 4,096. The address does not change when the object is moved.
  std::span<const std::byte> bytes() const { return bytes_; }
  const RegularFile& file() const { return file_; }
  // Throws Error as RegularFile's, and Error(kIo) if pages were replaced.
  void check_is_unchanged() const;

 private:
  MappedFile(RegularFile file, std::span<const std::byte> bytes);
  RegularFile file_;  // stays open
  std::span<const std::byte> bytes_;
  size_t place_ = SIZE_MAX;  // in the table that replace_missing_pages reads
};

}  // namespace bert
