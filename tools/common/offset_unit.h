// In what places in a text are counted. A caller that slices a string in JavaScript or Java needs UTF-16 units, one in
// Python code points.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace bert::common {

enum class OffsetUnit { kBytes, kCodePoints, kUtf16 };
std::string_view name(OffsetUnit unit);  // "bytes", "code_points", "utf16"

// Of one valid UTF-8 text: its places in this unit. A view of the text.
class OffsetUnits {
 public:
  OffsetUnits(std::string_view text, OffsetUnit unit);

  // Units before this byte, which begins a code point or ends the text.
  size_t before(size_t byte) const;

 private:
  std::string_view text_;
  OffsetUnit unit_;
  std::vector<size_t> blocks_;  // units before each block of bytes
};

}  // namespace bert::common
