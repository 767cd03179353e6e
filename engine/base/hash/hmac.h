// HMAC-SHA-256 (RFC 2104, FIPS 198-1): a digest of bytes that only who has the key can make. Stateless.
#pragma once

#include <string>
#include <string_view>

namespace bert {

// 64 hexadecimal digits.
std::string hmac_sha256(std::string_view key, std::string_view bytes);

}  // namespace bert
