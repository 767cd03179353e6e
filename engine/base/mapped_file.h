// A file mapped for reading: its pages are the page cache's own, shared by all processes that map it, read on first
// use.
//
// A file that is cut or overwritten while it is mapped cannot be guarded against here: the kernel raises SIGBUS on the
// pages that are gone, and a library must not take a process's signal handlers. So a weight file is replaced by a
// rename (as tools/convert_weights.py does), never written in place; what the mapping holds then stays whole. Immutable
// after opening; any number of threads may read at once.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace bert {

class RegularFile;

class MappedFile {
 public:
  // Throws Error as RegularFile does, and where the file's size changes while it is mapped.
  static MappedFile open(const std::filesystem::path& path);
  static MappedFile map(const RegularFile& file);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  // Page-aligned, and at the same address for as long as the object, or what it was moved to, lives.
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::span<const std::byte> bytes_;
};

// Asks the kernel to read a part of a mapping ahead of its use. Only a hint: nothing fails, nothing is mapped in. With
// a cold cache 440 MB on a busy machine came in 0.75 to 1.05 s instead of 0.9 to 2.2 s; with a warm one it takes 10 ms
// and saves as much. (Mapping in at once, MAP_POPULATE or MADV_POPULATE_READ, takes 20 to 40 ms in one thread, as long
// as all the faults of 64 KB each take in the threads that use the pages; so it gains nothing. Reading into memory of
// our own takes 0.8 s.)
void prefetch(std::span<const std::byte> bytes);

}  // namespace bert
