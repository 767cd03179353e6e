// Base64 (RFC 4648, with padding). Stateless; safe to call from many threads.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace bert::server {

std::string base64(std::span<const uint8_t> bytes);
// Encodes the floats' bytes, little-endian, as OpenAI's clients expect.
std::string base64(std::span<const float> values);

}  // namespace bert::server
