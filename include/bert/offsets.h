// In what places in a text are counted. The library's own are UTF-8 bytes; a caller that slices a string in JavaScript,
// Java or C# needs UTF-16 units, one in Python code points.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "bert/export.h"

namespace bert {

enum class OffsetUnit { kBytes, kCodePoints, kUtf16 };

BERT_API std::string_view name(OffsetUnit unit);  // "bytes", "code_points", "utf16"

// The places of one valid UTF-8 text in a unit. A view: the caller keeps the text alive. Immutable; any number of
// threads may use one at the same time.
class BERT_API OffsetUnits {
 public:
  OffsetUnits(std::string_view text, OffsetUnit unit);

  // Units before byte `position`, which begins a code point or ends the text; position <= text.size(). Its time does
  // not depend on the text's length.
  size_t before(size_t position) const;

 private:
  std::string_view text_;
  OffsetUnit unit_;
  std::vector<size_t> before_block_;  // units before each block of bytes; empty: each byte is a unit
};

}  // namespace bert
