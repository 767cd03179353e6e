#include "program/fetch/git_blob.h"

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "bert/error.h"
#include "engine/base/file.h"
#include "engine/base/quote.h"

namespace bert::fetch {
namespace {

constexpr size_t kReadBytes = 1u << 20;

}  // namespace

void Sha1::block(const unsigned char* bytes) {
  std::array<uint32_t, 80> words{};
  for (size_t i = 0; i < 16; ++i) {
    words[i] = static_cast<uint32_t>(bytes[4 * i]) << 24 | static_cast<uint32_t>(bytes[4 * i + 1]) << 16 |
               static_cast<uint32_t>(bytes[4 * i + 2]) << 8 | static_cast<uint32_t>(bytes[4 * i + 3]);
  }
  for (size_t i = 16; i < 80; ++i) {
    words[i] = std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
  }
  auto [a, b, c, d, e] = state_;
  for (size_t i = 0; i < 80; ++i) {
    const uint32_t mixed = i < 20   ? ((b & c) | (~b & d)) + 0x5A827999
                           : i < 40 ? (b ^ c ^ d) + 0x6ED9EBA1
                           : i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDC
                                    : (b ^ c ^ d) + 0xCA62C1D6;
    const uint32_t next = std::rotl(a, 5) + mixed + e + words[i];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  const std::array<uint32_t, 5> added = {a, b, c, d, e};
  for (size_t i = 0; i < state_.size(); ++i) state_[i] += added[i];
}

void Sha1::add(std::string_view bytes) {
  const auto* next = reinterpret_cast<const unsigned char*>(bytes.data());
  size_t left = bytes.size();
  while (left > 0) {
    const size_t filled = bytes_ % rest_.size(), taken = std::min(left, rest_.size() - filled);
    std::copy_n(next, taken, rest_.begin() + static_cast<ptrdiff_t>(filled));
    bytes_ += taken;
    next += taken;
    left -= taken;
    if (filled + taken == rest_.size()) block(rest_.data());
  }
}

std::string Sha1::hex() {
  const uint64_t bits = 8 * bytes_;
  add(std::string_view("\x80", 1));
  while (bytes_ % rest_.size() != rest_.size() - 8) add(std::string_view("\0", 1));
  std::string length;
  for (int shift = 56; shift >= 0; shift -= 8) length += static_cast<char>(bits >> shift & 0xFF);
  add(length);
  std::string text;
  for (const uint32_t word : state_) {
    for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[word >> shift & 15];
  }
  return text;
}

std::string git_blob_name(const std::filesystem::path& path) {
  const RegularFile file = RegularFile::open(path);
  Sha1 sum;
  sum.add("blob " + std::to_string(file.size()) + std::string(1, '\0'));
  std::vector<char> buffer(std::min(kReadBytes, file.size()));
  for (size_t at = 0; at < file.size();) {
    const std::span<char> part(buffer.data(), std::min(buffer.size(), file.size() - at));
    if (!read_at(file.descriptor(), path, file.begin() + at, part)) {
      throw Error(ErrorCode::kIo, quote_path(path.string()) + " was truncated while it was read");
    }
    sum.add({part.data(), part.size()});
    at += part.size();
  }
  return sum.hex();
}

}  // namespace bert::fetch
