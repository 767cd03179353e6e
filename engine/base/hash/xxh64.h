// XXH64, a checksum against damage, not against intent: 4.8 GB/s on one thread (zlib's crc32: 1.3). Defined by xxHash's
// specification 0.1.1 (doc/xxhash_spec.md of Cyan4973/xxHash). Stateless.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace bert {

// With the seed 0.
uint64_t xxh64(std::span<const std::byte> bytes);

// A checksum as 16 hexadecimal digits.
std::string hexadecimal(uint64_t number);

}  // namespace bert
