#include "engine/base/hash/block_digest.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "engine/base/hash/xxh64.h"

namespace bert {
namespace {

constexpr size_t kDigestBlockBytes = 1 << 20;

constexpr size_t kColumns = 8;
constexpr size_t kLineBytes = kColumns * sizeof(uint32_t);

struct Sums {
  uint64_t sums[kColumns] = {}, sums_of_sums[kColumns] = {};
  uint64_t size = 0;
};

// Fletcher's two sums, for 8 columns of 32-bit numbers. No sum of a block exceeds 64 bits, so two changes never cancel
// each other. The inner loop uses local arrays so that the compiler vectorises it. Source: Fletcher 1982.
void add_lines(Sums& to, const std::byte* at, size_t lines) {
  Sums sums = to;
  for (; lines > 0; --lines, at += kLineBytes) {
    uint32_t line[kColumns];
    std::memcpy(line, at, kLineBytes);
    for (size_t i = 0; i < kColumns; ++i) sums.sums_of_sums[i] += sums.sums[i] += line[i];
  }
  to = sums;
}

uint64_t digest_of_block(std::span<const std::byte> bytes) {
  Sums sums;
  sums.size = bytes.size();
  const size_t whole = bytes.size() / kLineBytes, rest = bytes.size() % kLineBytes;
  add_lines(sums, bytes.data(), whole);
  if (rest > 0) {
    std::byte line[kLineBytes] = {};
    std::memcpy(line, bytes.data() + whole * kLineBytes, rest);
    add_lines(sums, line, 1);
  }
  return xxh64(std::as_bytes(std::span(&sums, 1)));
}

}  // namespace

uint64_t block_digest(std::span<const std::byte> bytes, ThreadPool& pool) {
  std::vector<uint64_t> digests((bytes.size() + kDigestBlockBytes - 1) / kDigestBlockBytes);
  pool.run(digests.size(), [&](size_t block, size_t) {
    const size_t begin = block * kDigestBlockBytes;
    digests[block] = digest_of_block(bytes.subspan(begin, std::min(kDigestBlockBytes, bytes.size() - begin)));
  });
  return xxh64(std::as_bytes(std::span(digests)));
}

}  // namespace bert
