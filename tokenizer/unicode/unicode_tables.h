// The generated tables of unicode_tables.cc; tokenizer/unicode/unicode.h has the functions that read them.
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
struct Composition {
  char32_t first, second, composed;
};
// The class of a character in grapheme clusters; Hangul's classes are computed, so the table lacks them.
enum class ClusterClass : uint8_t {
  kOther,
  kControl,       // always a cluster of its own
  kJoining,       // joins the cluster before it
  kJoiner,        // U+200D: as kJoining, and a pictograph may follow in the cluster
  kPrepended,     // the next character joins its cluster
  kPictographic,  // Extended_Pictographic
  kLeading,       // Hangul: L, V, T, LV, LVT
  kVowel,
  kTrailing,
  kSyllable,
  kClosedSyllable,
};
struct ClusterRange {
  char32_t first, last;
  ClusterClass cluster_class;
};
// A general category: Lu, Ll, ...
struct CategoryRange {
  char32_t first, last;
  char category[3];
};
struct ScriptRange {
  char32_t first, last;
  uint8_t script;
};
struct CodePointRange {
  char32_t first, last;
};

extern const uint8_t kPropertyBlocks[8704];
extern const uint8_t kProperties[];
extern const LowerRange kLowerRanges[];
extern const ClassRange kClassRanges[];
extern const Decomposition kDecompositions[];
extern const Decomposition kCompatibilities[];
extern const Composition kCompositions[];
extern const char32_t kDecomposed[];
extern const CodePointRange kMarkRanges[];
extern const CodePointRange kWordRanges[];
extern const CodePointRange kLetterRanges[];
extern const CodePointRange kNumberRanges[];
extern const CategoryRange kNewCategoryRanges[];
extern const ClusterRange kClusterRanges[];
extern const ScriptRange kScriptRanges[];
extern const size_t kLowerRangeCount;
extern const size_t kClassRangeCount;
extern const size_t kDecompositionCount;
extern const size_t kCompatibilityCount;
extern const size_t kCompositionCount;
extern const size_t kMarkRangeCount;
extern const size_t kWordRangeCount;
extern const size_t kLetterRangeCount;
extern const size_t kNumberRangeCount;
extern const size_t kNewCategoryRangeCount;
extern const size_t kClusterRangeCount;
extern const size_t kScriptRangeCount;

}  // namespace bert
