#include "engine/base/hash/sha256.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#include "bert/error.h"

namespace bert {
namespace {

constexpr size_t kBlock = 64;  // bytes
constexpr size_t kAskedAfter = 64 * 1024;

// FIPS 180-4, section 4.2.2: the first 32 bits of the fractions of the cube roots of the first 64 primes.
constexpr std::array<uint32_t, 64> kRounds = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using State = std::array<uint32_t, 8>;

void add_block(State& state, const std::byte* block) {
  std::array<uint32_t, 64> words;
  for (size_t i = 0; i < 16; ++i) {
    words[i] = 0;
    for (size_t byte = 0; byte < 4; ++byte) words[i] = words[i] << 8 | static_cast<uint32_t>(block[4 * i + byte]);
  }
  for (size_t i = 16; i < 64; ++i) {
    const uint32_t a = words[i - 15], b = words[i - 2];
    const uint32_t s0 = std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3;
    const uint32_t s1 = std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10;
    words[i] = words[i - 16] + s0 + words[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (size_t i = 0; i < 64; ++i) {
    const uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kRounds[i] + words[i];
    const uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const State added = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < state.size(); ++i) state[i] += added[i];
}

constexpr size_t kHmacBlock = 64;  // bytes of a block of SHA-256

std::string digest(const std::string& bytes) {
  const std::string digits = sha256(std::as_bytes(std::span(bytes)));
  const auto value = [](char digit) { return digit <= '9' ? digit - '0' : digit - 'a' + 10; };
  std::string out;
  for (size_t i = 0; i < digits.size(); i += 2) {
    out += static_cast<char>(value(digits[i]) * 16 + value(digits[i + 1]));
  }
  return out;
}

}  // namespace

std::string sha256(std::span<const std::byte> bytes, const std::function<bool()>& goes_on) {
  State state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const size_t whole = bytes.size() / kBlock * kBlock, rest = bytes.size() - whole;
  for (size_t i = 0; i < whole; i += kBlock) {
    if (i % kAskedAfter == 0 && goes_on && !goes_on()) throw Error(ErrorCode::kCancelled, "cancelled");
    add_block(state, bytes.data() + i);
  }
  // A one bit, zeros, and the length in bits as the last 8 bytes.
  std::array<std::byte, 2 * kBlock> end{};
  if (rest > 0) std::memcpy(end.data(), bytes.data() + whole, rest);
  end[rest] = std::byte{0x80};
  const size_t end_bytes = rest + 9 <= kBlock ? kBlock : 2 * kBlock;
  for (size_t i = 0; i < 8; ++i) {
    end[end_bytes - 1 - i] = static_cast<std::byte>(static_cast<uint64_t>(bytes.size()) * 8 >> 8 * i);
  }
  for (size_t i = 0; i < end_bytes; i += kBlock) add_block(state, end.data() + i);
  std::string text;
  for (const uint32_t word : state) {
    for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[word >> shift & 15];
  }
  return text;
}

std::string hmac_sha256(std::string_view key, std::string_view bytes) {
  std::string block = key.size() > kHmacBlock ? digest(std::string(key)) : std::string(key);
  block.resize(kHmacBlock, '\0');
  std::string inner = block, outer = block;
  for (char& c : inner) c = static_cast<char>(c ^ 0x36);
  for (char& c : outer) c = static_cast<char>(c ^ 0x5c);
  outer += digest(inner.append(bytes));
  return sha256(std::as_bytes(std::span(outer)));
}

}  // namespace bert
