// Compression of pictures. The program has zlib do it; the Python package, which links no other library, has Python's
// module zlib, with a file of its own in place of deflate.cc. Stateless; safe to call from many threads.
#pragma once

#include <string>
#include <string_view>

namespace bert::drawings {

// In zlib's format (RFC 1950).
std::string deflated(std::string_view bytes);

}  // namespace bert::drawings
