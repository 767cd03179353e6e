#include "tokenizer/unicode.h"

#include <algorithm>

namespace bert::unicode {
namespace {

// The range that holds c in a sorted table, or null.
template <typename Range>
const Range* find_range(const Range* ranges, size_t count, char32_t c) {
  const Range* end = ranges + count;
  const Range* found = std::lower_bound(ranges, end, c, [](const Range& range, char32_t x) { return range.last < x; });
  return found != end && found->first <= c ? found : nullptr;
}

// Hangul syllables decompose by arithmetic: The Unicode Standard, 3.12.
constexpr char32_t kSyllables = 0xAC00, kLeading = 0x1100, kVowel = 0x1161, kTrailing = 0x11A7;
constexpr char32_t kVowels = 21, kTrailings = 28, kSyllableCount = 11172;

}  // namespace

char32_t lower_case(char32_t c) {
  if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + 32 : c;
  if (c == kDottedCapitalI) return 'i';
  const LowerRange* range = find_range(kLowerRanges, kLowerRangeCount, c);
  if (range == nullptr || (c - range->first) % range->step != 0) return c;
  return static_cast<char32_t>(static_cast<int32_t>(c) + range->distance);
}

size_t decompose(char32_t c, char32_t (&parts)[kMaxDecomposition]) {
  if (c - kSyllables < kSyllableCount) {
    const char32_t index = c - kSyllables;
    parts[0] = kLeading + index / (kVowels * kTrailings);
    parts[1] = kVowel + index % (kVowels * kTrailings) / kTrailings;
    parts[2] = kTrailing + index % kTrailings;
    return parts[2] == kTrailing ? 2 : 3;
  }
  const Decomposition* end = kDecompositions + kDecompositionCount;
  const Decomposition* found =
      std::lower_bound(kDecompositions, end, c, [](const Decomposition& d, char32_t x) { return d.code_point < x; });
  if (found == end || found->code_point != c) {
    parts[0] = c;
    return 1;
  }
  std::copy_n(kDecomposed + found->begin, found->length, parts);
  return found->length;
}

uint8_t combining_class(char32_t c) {
  if ((properties(c) & kHasClass) == 0) return 0;
  const ClassRange* range = find_range(kClassRanges, kClassRangeCount, c);
  return range == nullptr ? 0 : range->combining_class;
}

bool is_mark(char32_t c) { return find_range(kMarkRanges, kMarkRangeCount, c) != nullptr; }

bool is_word_character(char32_t c) { return find_range(kWordRanges, kWordRangeCount, c) != nullptr; }

}  // namespace bert::unicode
