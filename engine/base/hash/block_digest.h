// A digest of large memory at about the speed of reading it: it finds accidental damage, as one bit that is another,
// not tampering. Stateless.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/base/thread_pool.h"

namespace bert {

// Computes on the pool's threads, whose number changes nothing. Depends on the byte order of the CPU.
uint64_t block_digest(std::span<const std::byte> bytes, ThreadPool& pool);

}  // namespace bert
