// Memory pages that map a file. engine/base/posix/ and windows/ implement it. Stateless; safe to call from many
// threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <system_error>

#include "engine/base/descriptor.h"

namespace bert {

// Returns the size of a page in bytes; 16,384 or 65,536 on some ARM systems. On Windows it is 65,536, of which the
// offset of a mapping is a multiple.
size_t page_size() noexcept;

// Maps a part of a file for reading. offset: a multiple of page_size(); size: not 0. Returns an empty span and sets
// error if it fails.
std::span<const std::byte> map_pages(const Descriptor& file, uint64_t offset, size_t size, std::error_code& error);
void unmap_pages(std::span<const std::byte> pages) noexcept;

// Replaces mapped pages by zeros. Returns false if the system refuses. May be called in a signal handler.
bool replace_by_zeros(std::span<const std::byte> pages) noexcept;

// Asks the kernel to read a part of a mapping before it is used. This is only a hint and cannot fail. With a cold
// cache, reading 440 MB on a busy machine took 0.75 to 1.05 s instead of 0.9 to 2.2 s; with a warm cache the call takes
// 10 ms and saves as much. (MAP_POPULATE and MADV_POPULATE_READ take 20 to 40 ms in one thread, as long as the page
// faults of 64 KB each in the threads that use the pages, so they gain nothing. Copying into our own memory takes 0.8
// s.)
void prefetch(std::span<const std::byte> bytes);

// Removes the whole pages of a part of a mapping from this process's memory. They stay in the page cache, and are found
// there when they are read again. Only a hint, like prefetch().
void let_go(std::span<const std::byte> bytes);

}  // namespace bert
