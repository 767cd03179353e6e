// Writes a normalized text as one line that a test can compare: each character with the bytes that it came from.
#pragma once

#include <string>

#include "engine/base/utf8.h"
#include "tokenizer/normalizer/normalized_text.h"

namespace bert::test {

// Returns each character with the bytes of its source, as in "f0-3 i0-3".
inline std::string alignment(const NormalizedText& text) {
  std::string result;
  for (size_t i = 0; i < text.bytes.size();) {
    const size_t bytes = decode_utf8(text.bytes, i).bytes;
    const Offset source = text.sources[i];
    result += (i > 0 ? " " : "") + text.bytes.substr(i, bytes) + std::to_string(source.begin) + "-" +
              std::to_string(source.end);
    i += bytes;
  }
  return result;
}

}  // namespace bert::test
