// SHA-256 (FIPS 180-4) of bytes in memory. Stateless.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace bert {

// Returns 64 hexadecimal digits. goes_on, if given, is called after every 64 KiB; if it returns false, throws
// Error(kCancelled).
std::string sha256(std::span<const std::byte> bytes, const std::function<bool()>& goes_on = {});

// Returns 64 hexadecimal digits.
std::string hmac_sha256(std::string_view key, std::string_view bytes);

}  // namespace bert
