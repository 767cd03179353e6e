// Encodes pictures of many cells as PNG files inside the page. Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace bert::drawings {

// Returns "data:image/png;base64,…" of a grey image, 0 black to 255 white.   pixels: [height, width]
std::string png_uri(std::span<const uint8_t> pixels, size_t width, size_t height);

}  // namespace bert::drawings
