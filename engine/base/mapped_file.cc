#include "engine/base/mapped_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>

#include "bert/error.h"
#include "bert/missing_pages.h"
#include "engine/base/quote.h"

namespace bert {
namespace {

// In bytes; 16,384 or 65,536 on some ARM systems.
const auto page_size = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));

// The mappings of the process, for a signal's handler.
struct Place {
  std::atomic<uintptr_t> begin{0};  // 0: free; 1: being taken
  std::atomic<size_t> size{0};
  std::atomic<bool> is_damaged{false};
};
static_assert(std::atomic<uintptr_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);
std::array<Place, 4096> places;

// With the whole of its first page: a file in a bundle can begin within one.
std::span<const std::byte> whole_pages(std::span<const std::byte> bytes) {
  const size_t before = reinterpret_cast<uintptr_t>(bytes.data()) % page_size;
  return {bytes.data() - before, bytes.size() + before};
}

size_t take_place(std::span<const std::byte> bytes) {
  for (size_t i = 0; i < places.size(); ++i) {
    uintptr_t free = 0;
    if (!places[i].begin.compare_exchange_strong(free, 1)) continue;
    places[i].size = bytes.size();
    places[i].is_damaged = false;
    places[i].begin = reinterpret_cast<uintptr_t>(bytes.data());
    return i;
  }
  return SIZE_MAX;
}

}  // namespace

bool replace_missing_pages(const void* address) noexcept {
  const auto at = reinterpret_cast<uintptr_t>(address);
  for (Place& place : places) {
    const uintptr_t begin = place.begin;
    if (begin <= 1 || at < begin || at - begin >= place.size) continue;
    place.is_damaged = true;
    const uintptr_t page = begin + (at - begin) / page_size * page_size;
    void* const zeros = mmap(reinterpret_cast<void*>(page), begin + place.size - page, PROT_READ,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    return zeros != MAP_FAILED;
  }
  return false;
}

MappedFile MappedFile::open(const std::filesystem::path& path) { return map(RegularFile::open(path)); }

MappedFile MappedFile::map(RegularFile file) {
  if (file.size() == 0) return {std::move(file), {}};  // mmap rejects a length of 0
  const size_t before = file.begin() % page_size;
  void* memory = mmap(nullptr, before + file.size(), PROT_READ, MAP_SHARED, file.descriptor(),
                      static_cast<off_t>(file.begin() - before));
  if (memory == MAP_FAILED) {
    throw Error(ErrorCode::kIo, quote_path(file.path().native()) + ": " + std::to_string(file.size()) +
                                    " bytes cannot be mapped: " + std::system_category().message(errno));
  }
  const size_t size = file.size();
  MappedFile mapped(std::move(file), {static_cast<const std::byte*>(memory) + before, size});
  mapped.check_is_unchanged();
  return mapped;
}

constexpr uintptr_t kPage = 4096;

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

MappedFile::MappedFile(RegularFile file, std::span<const std::byte> bytes)
    : file_(std::move(file)), bytes_(bytes), place_(bytes.empty() ? SIZE_MAX : take_place(whole_pages(bytes))) {}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : file_(std::move(other.file_)),
      bytes_(std::exchange(other.bytes_, {})),
      place_(std::exchange(other.place_, SIZE_MAX)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(bytes_, other.bytes_);
  std::swap(place_, other.place_);
  return *this;
}

void MappedFile::check_is_unchanged() const {
  file_.check_is_unchanged();
  if (place_ == SIZE_MAX || !places[place_].is_damaged) return;
  throw Error(ErrorCode::kIo,
              quote_path(file_.path().native()) + ": a part could not be read, and zeros took its place");
}

MappedFile::~MappedFile() {
  if (place_ != SIZE_MAX) places[place_].begin = 0;
  if (bytes_.empty()) return;
  const std::span<const std::byte> pages = whole_pages(bytes_);
  munmap(const_cast<std::byte*>(pages.data()), pages.size());
}

}  // namespace bert
