// Pages of memory that show a file. engine/base/posix/ implements it. Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <system_error>

#include "engine/base/descriptor.h"

namespace bert {

// In bytes; 16,384 or 65,536 on some ARM systems.
size_t page_size() noexcept;

// Maps a part of a file for reading. offset: a multiple of page_size(); size: not 0. Empty with an error.
std::span<const std::byte> map_pages(const Descriptor& file, uint64_t offset, size_t size, std::error_code& error);
void unmap_pages(std::span<const std::byte> pages) noexcept;

// Zeros in place of mapped pages. False if the system refuses. A signal's handler may call it.
bool replace_by_zeros(std::span<const std::byte> pages) noexcept;

// Asks the kernel to read a part of a mapping before it is used. It is only a hint and cannot fail. With a cold cache,
// 440 MB on a busy machine took 0.75 to 1.05 s instead of 0.9 to 2.2 s; with a warm one the call takes 10 ms and saves
// as much. (MAP_POPULATE and MADV_POPULATE_READ take 20 to 40 ms in one thread, as long as all page faults of 64 KB
// each in the threads that use the pages, so they gain nothing. Copying into our own memory takes 0.8 s.)
void prefetch(std::span<const std::byte> bytes);

// Takes the whole pages of a part of a mapping out of this process: they stay in the page cache, and are found there
// when they are read again. A hint, like prefetch().
void let_go(std::span<const std::byte> bytes);

}  // namespace bert
