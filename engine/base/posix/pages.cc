#include "engine/base/pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace bert {
namespace {

constexpr uintptr_t kPage = 4096;  // for hints; the system rounds to its own pages

}  // namespace

size_t page_size() noexcept { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

std::span<const std::byte> map_pages(const Descriptor& file, uint64_t offset, size_t size, std::error_code& error) {
  const void* const memory = mmap(nullptr, size, PROT_READ, MAP_SHARED, file.number(), static_cast<off_t>(offset));
  if (memory == MAP_FAILED) {
    error = {errno, std::system_category()};
    return {};
  }
  error.clear();
  return {static_cast<const std::byte*>(memory), size};
}

void unmap_pages(std::span<const std::byte> pages) noexcept {
  munmap(const_cast<std::byte*>(pages.data()), pages.size());
}

bool replace_by_zeros(std::span<const std::byte> pages) noexcept {
  const void* const zeros = mmap(const_cast<std::byte*>(pages.data()), pages.size(), PROT_READ,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  return zeros != MAP_FAILED;
}

void prefetch(std::span<const std::byte> bytes) {
  // One call reads at most the disk's largest request, so the range is split into parts of that size.
  constexpr uintptr_t kPiece = 2 << 20;
  const auto begin = reinterpret_cast<uintptr_t>(bytes.data()) / kPage * kPage;
  const auto end = reinterpret_cast<uintptr_t>(bytes.data()) + bytes.size();
  for (uintptr_t at = begin; at < end; at += kPiece) {
    (void)madvise(reinterpret_cast<void*>(at), std::min(kPiece, end - at), MADV_WILLNEED);
  }
}

void let_go(std::span<const std::byte> bytes) {
  const auto begin = (reinterpret_cast<uintptr_t>(bytes.data()) + kPage - 1) / kPage * kPage;
  const auto end = (reinterpret_cast<uintptr_t>(bytes.data()) + bytes.size()) / kPage * kPage;
  if (begin < end) (void)madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

}  // namespace bert
