// The generated tables of unicode_tables.cc; tokenizer/unicode.h has the functions that read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace bert {

struct LowerRange {
  char32_t first, last;
  uint32_t step;
  int32_t distance;
};
struct ClassRange {
  char32_t first, last;
  uint8_t combining_class;
};
struct Decomposition {
  char32_t code_point;
  uint16_t begin;
  uint16_t length;
};
struct CodePointRange {
  char32_t first, last;
};

extern const uint8_t kPropertyBlocks[8704];
extern const uint8_t kProperties[];
extern const LowerRange kLowerRanges[];
extern const ClassRange kClassRanges[];
extern const Decomposition kDecompositions[];
extern const char32_t kDecomposed[];
extern const CodePointRange kMarkRanges[];
extern const CodePointRange kWordRanges[];
extern const size_t kLowerRangeCount;
extern const size_t kClassRangeCount;
extern const size_t kDecompositionCount;
extern const size_t kMarkRangeCount;
extern const size_t kWordRangeCount;

}  // namespace bert
