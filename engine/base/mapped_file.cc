#include "engine/base/mapped_file.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>

#include "bert/error.h"
#include "bert/missing_pages.h"
#include "engine/base/pages.h"
#include "engine/base/quote.h"
#include "engine/base/utf8_path.h"

namespace bert {
namespace {

// A mapping of the process, in a table for the signal's handler.
struct Place {
  std::atomic<uintptr_t> begin{0};  // 0: free; 1: being taken
  std::atomic<size_t> size{0};
  std::atomic<bool> is_damaged{false};
};
static_assert(std::atomic<uintptr_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);
std::array<Place, 4096> places;

// Extends the range to the beginning of its first page, because a file in a bundle can begin inside a page.
std::span<const std::byte> whole_pages(std::span<const std::byte> bytes) {
  const size_t before = reinterpret_cast<uintptr_t>(bytes.data()) % page_size();
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
    const size_t before = (at - begin) / page_size() * page_size();
    return replace_by_zeros({reinterpret_cast<const std::byte*>(begin) + before, place.size - before});
  }
  return false;
}

MappedFile MappedFile::open(const std::filesystem::path& path) { return map(RegularFile::open(path)); }

MappedFile MappedFile::map(RegularFile file) {
  if (file.size() == 0) return {std::move(file), {}};
  const size_t before = file.begin() % page_size();
  std::error_code error;
  const std::span<const std::byte> pages =
      map_pages(file.descriptor(), file.begin() - before, before + file.size(), error);
  if (error) {
    throw Error(ErrorCode::kIo, quote_path(utf8(file.path())) + ": " + std::to_string(file.size()) +
                                    " bytes cannot be mapped: " + error.message());
  }
  MappedFile mapped(std::move(file), pages.subspan(before));
  mapped.check_is_unchanged();
  return mapped;
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
  throw Error(ErrorCode::kIo, quote_path(utf8(file_.path())) + ": a part could not be read, and zeros took its place");
}

MappedFile::~MappedFile() {
  if (place_ != SIZE_MAX) places[place_].begin = 0;
  if (!bytes_.empty()) unmap_pages(whole_pages(bytes_));
}

}  // namespace bert
