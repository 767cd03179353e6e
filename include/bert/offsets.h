// Units of places in a text. The library counts UTF-8 bytes; strings are sliced by UTF-16 units in JavaScript, Java and
// C#, and by code points in Python.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "bert/export.h"

namespace bert {

enum class OffsetUnit { kBytes, kCodePoints, kUtf16 };

BERT_API std::string_view name(OffsetUnit unit);  // "bytes", "code_points", "utf16"

// Converts places in one valid UTF-8 text to a unit. A view: the caller keeps the text alive. Immutable; any number of
// threads may use one at the same time.
class BERT_API OffsetUnits {
 public:
  OffsetUnits(std::string_view text, OffsetUnit unit);

  // Returns the number of units before byte `position`, which must begin a code point or end the text. Takes constant
  // time.
  size_t before(size_t position) const;

 private:
  std::string_view text_;
  OffsetUnit unit_;
  std::vector<size_t> before_block_;  // units before each block of bytes; empty: each byte is a unit
};

}  // namespace bert
