// SHA-256 (FIPS 180-4) of bytes in memory, as 64 hexadecimal digits: identifies files. Stateless.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace bert {

std::string sha256(std::span<const std::byte> bytes);

}  // namespace bert
