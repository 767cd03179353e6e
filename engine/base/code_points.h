// Byte positions of a text as counts of code points, which is how Python slices strings. A view: the caller keeps the
// text alive. Immutable; any number of threads may use one at the same time.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace bert {

class CodePoints {
 public:
  explicit CodePoints(std::string_view text);  // of valid UTF-8

  // The number of code points that begin before byte `position`; position <= text.size().
  size_t before(size_t position) const;

 private:
  std::string_view text_;
  std::vector<size_t> before_block_;  // code points before each block of bytes; empty: all are ASCII
};

}  // namespace bert
