#include "engine/base/pages.h"

#include "engine/base/windows/system.h"

namespace bert {

// A mapping begins at a multiple of the granularity, 64 KiB, not of a page.
size_t page_size() noexcept {
  SYSTEM_INFO system = {};
  GetSystemInfo(&system);
  return system.dwAllocationGranularity;
}

// The view keeps the mapping alive.
std::span<const std::byte> map_pages(const Descriptor& file, uint64_t offset, size_t size, std::error_code& error) {
  error.clear();
  const HANDLE mapping = CreateFileMappingW(handle_of(file.number()), nullptr, PAGE_READONLY, 0, 0, nullptr);
  if (mapping == nullptr) {
    error = last_error();
    return {};
  }
  const void* const memory =
      MapViewOfFile(mapping, FILE_MAP_READ, static_cast<DWORD>(offset >> 32), static_cast<DWORD>(offset), size);
  if (memory == nullptr) error = last_error();
  CloseHandle(mapping);
  if (error) return {};
  return {static_cast<const std::byte*>(memory), size};
}

void unmap_pages(std::span<const std::byte> pages) noexcept { UnmapViewOfFile(pages.data()); }

// A part of a view cannot be replaced. Windows lets nobody truncate a mapped file.
bool replace_by_zeros(std::span<const std::byte>) noexcept { return false; }

void prefetch(std::span<const std::byte> bytes) {
  WIN32_MEMORY_RANGE_ENTRY range = {const_cast<std::byte*>(bytes.data()), bytes.size()};
  (void)PrefetchVirtualMemory(GetCurrentProcess(), 1, &range, 0);
}

// Pages that are not locked leave the process's memory when they are unlocked.
void let_go(std::span<const std::byte> bytes) {
  constexpr uintptr_t kPage = 4096;
  const auto begin = (reinterpret_cast<uintptr_t>(bytes.data()) + kPage - 1) / kPage * kPage;
  const auto end = (reinterpret_cast<uintptr_t>(bytes.data()) + bytes.size()) / kPage * kPage;
  if (begin < end) (void)VirtualUnlock(reinterpret_cast<void*>(begin), end - begin);
}

}  // namespace bert
