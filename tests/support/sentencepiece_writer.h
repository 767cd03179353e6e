// Writes SentencePiece model files for tests: the fields of pieces, kind and character map.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bert::test {

inline std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

inline std::string field(uint32_t number, std::string_view bytes) {
  return varint(number << 3 | 2) + varint(bytes.size()) + std::string(bytes);
}
inline std::string field(uint32_t number, uint64_t value) { return varint(number << 3) + varint(value); }

struct WrittenPiece {
  std::string text;
  float score = 0;
  int type = 1;
};

inline std::string sentencepiece_bytes(const std::vector<WrittenPiece>& pieces, int kind = 1,
                                       std::string_view charsmap = "") {
  std::string bytes;
  for (const WrittenPiece& piece : pieces) {
    std::string score = varint(2 << 3 | 5);
    for (int i = 0; i < 4; ++i) score += static_cast<char>(std::bit_cast<uint32_t>(piece.score) >> (8 * i));
    bytes += field(1, field(1, piece.text) + score + field(3, static_cast<uint64_t>(piece.type)));
  }
  return bytes + field(2, field(3, static_cast<uint64_t>(kind))) + field(3, field(2, charsmap));
}

}  // namespace bert::test
