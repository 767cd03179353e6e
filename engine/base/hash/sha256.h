// SHA-256 (FIPS 180-4) of bytes in memory, as 64 hexadecimal digits: identifies files. Stateless.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace bert {

// goes_on, if given, is asked after every 64 KiB; when it says no, throws Error(kCancelled).
std::string sha256(std::span<const std::byte> bytes, const std::function<bool()>& goes_on = {});

}  // namespace bert
