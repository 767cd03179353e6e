// Compresses pictures. The program uses zlib; the Python package, which links no other library, uses Python's module
// zlib, by its own file instead of deflate.cc. Stateless; safe to call from many threads.
#pragma once

#include <string>
#include <string_view>

namespace bert::drawings {

// Returns the bytes in zlib's format (RFC 1950).
std::string deflated(std::string_view bytes);

}  // namespace bert::drawings
