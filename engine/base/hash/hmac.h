// HMAC-SHA-256 (RFC 2104, FIPS 198-1): a digest that only the owner of the key can compute. Stateless.
#pragma once

#include <string>
#include <string_view>

namespace bert {

// Returns 64 hexadecimal digits.
std::string hmac_sha256(std::string_view key, std::string_view bytes);

}  // namespace bert
