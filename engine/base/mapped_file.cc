#include "engine/base/mapped_file.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>

#include "bert/error.h"
#include "engine/base/quote.h"

namespace bert {

MappedFile MappedFile::open(const std::filesystem::path& path) { return map(RegularFile::open(path)); }

MappedFile MappedFile::map(RegularFile file) {
  if (file.size() == 0) return {std::move(file), {}};  // mmap rejects a length of 0
  void* memory = mmap(nullptr, file.size(), PROT_READ, MAP_SHARED, file.descriptor(), 0);
  if (memory == MAP_FAILED) {
    throw Error(ErrorCode::kIo, quote_path(file.path().native()) + ": " + std::to_string(file.size()) +
                                    " bytes cannot be mapped: " + std::system_category().message(errno));
  }
  const size_t size = file.size();
  MappedFile mapped(std::move(file), {static_cast<const std::byte*>(memory), size});
  mapped.file_.check_is_unchanged();
  return mapped;
}

void prefetch(std::span<const std::byte> bytes) {
  // One call reads at most the disk's largest request, so the range is split into parts of that size.
  constexpr uintptr_t kPage = 4096;
  constexpr uintptr_t kPiece = 2 << 20;
  const auto begin = reinterpret_cast<uintptr_t>(bytes.data()) / kPage * kPage;
  const auto end = reinterpret_cast<uintptr_t>(bytes.data()) + bytes.size();
  for (uintptr_t at = begin; at < end; at += kPiece) {
    (void)madvise(reinterpret_cast<void*>(at), std::min(kPiece, end - at), MADV_WILLNEED);
  }
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : file_(std::move(other.file_)), bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace bert
