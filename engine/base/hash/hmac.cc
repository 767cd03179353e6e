#include "engine/base/hash/hmac.h"

#include <span>

#include "engine/base/hash/sha256.h"

namespace bert {
namespace {

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
