// A digest of large memory, at about the speed of reading. It detects accidental damage, such as one changed bit, but
// not tampering. Stateless.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/base/thread_pool.h"

namespace bert {

// Returns the digest, computed on the pool's threads; their number does not change it. It depends on the CPU's byte
// order.
uint64_t block_digest(std::span<const std::byte> bytes, ThreadPool& pool);

}  // namespace bert
