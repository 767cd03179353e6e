#include "tokenizer/unicode/unicode.h"

#include <algorithm>
#include <utility>

namespace bert::unicode {
namespace {

// Returns the range that contains c in a sorted table, or null.
template <typename Range>
const Range* find_range(const Range* ranges, size_t count, char32_t c) {
  const Range* end = ranges + count;
  const Range* found = std::lower_bound(ranges, end, c, [](const Range& range, char32_t x) { return range.last < x; });
  return found != end && found->first <= c ? found : nullptr;
}

// Hangul syllables decompose by arithmetic: The Unicode Standard, 3.12.
constexpr char32_t kSyllables = 0xAC00, kLeading = 0x1100, kVowel = 0x1161, kTrailing = 0x11A7;
constexpr char32_t kVowels = 21, kTrailings = 28, kSyllableCount = 11172;

constexpr char32_t kLeadings = 19;

// Returns the decomposition of c in a sorted table, or null.
const Decomposition* find_decomposition(const Decomposition* table, size_t count, char32_t c) {
  const Decomposition* end = table + count;
  const Decomposition* found =
      std::lower_bound(table, end, c, [](const Decomposition& d, char32_t x) { return d.code_point < x; });
  return found == end || found->code_point != c ? nullptr : found;
}

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
  const Decomposition* found = find_decomposition(kDecompositions, kDecompositionCount, c);
  if (found == nullptr) {
    parts[0] = c;
    return 1;
  }
  std::copy_n(kDecomposed + found->begin, found->length, parts);
  return found->length;
}

size_t decompose_compatibility(char32_t c, char32_t (&parts)[kMaxCompatibility]) {
  if (const Decomposition* found = find_decomposition(kCompatibilities, kCompatibilityCount, c)) {
    std::copy_n(kDecomposed + found->begin, found->length, parts);
    return found->length;
  }
  char32_t canonical[kMaxDecomposition];
  const size_t count = decompose(c, canonical);
  std::copy_n(canonical, count, parts);
  return count;
}

char32_t compose(char32_t first, char32_t second) {
  if (first - kLeading < kLeadings && second - kVowel < kVowels) {
    return kSyllables + ((first - kLeading) * kVowels + (second - kVowel)) * kTrailings;
  }
  if (first - kSyllables < kSyllableCount && (first - kSyllables) % kTrailings == 0 && second > kTrailing &&
      second < kTrailing + kTrailings) {
    return first + (second - kTrailing);
  }
  const auto before = [](const Composition& c, const std::pair<char32_t, char32_t>& x) {
    return std::pair(c.first, c.second) < x;
  };
  const Composition* end = kCompositions + kCompositionCount;
  const Composition* found = std::lower_bound(kCompositions, end, std::pair(first, second), before);
  return found != end && found->first == first && found->second == second ? found->composed : 0;
}

uint8_t combining_class(char32_t c) {
  if ((properties(c) & kHasClass) == 0) return 0;
  const ClassRange* range = find_range(kClassRanges, kClassRangeCount, c);
  return range == nullptr ? 0 : range->combining_class;
}

bool is_mark(char32_t c) { return find_range(kMarkRanges, kMarkRangeCount, c) != nullptr; }

bool is_word_character(char32_t c) { return find_range(kWordRanges, kWordRangeCount, c) != nullptr; }

bool is_letter(char32_t c) {
  if (c < 0x80) return (c | 32) - 'a' < 26;
  return find_range(kLetterRanges, kLetterRangeCount, c) != nullptr;
}

bool is_number(char32_t c) {
  if (c < 0x80) return c - '0' < 10;
  return find_range(kNumberRanges, kNumberRangeCount, c) != nullptr;
}

std::span<const CodePointRange> letter_ranges() { return {kLetterRanges, kLetterRangeCount}; }

std::span<const CodePointRange> number_ranges() { return {kNumberRanges, kNumberRangeCount}; }

ClusterClass cluster_class(char32_t c) {
  if (c - kSyllables < kSyllableCount) {
    return (c - kSyllables) % kTrailings == 0 ? ClusterClass::kSyllable : ClusterClass::kClosedSyllable;
  }
  if (c - 0x1100 < 0x60 || c - 0xA960 < 0x1D) return ClusterClass::kLeading;
  if (c - 0x1160 < 0x48 || c - 0xD7B0 < 0x17) return ClusterClass::kVowel;
  if (c - 0x11A8 < 0x58 || c - 0xD7CB < 0x31) return ClusterClass::kTrailing;
  const ClusterRange* range = find_range(kClusterRanges, kClusterRangeCount, c);
  return range == nullptr ? ClusterClass::kOther : range->cluster_class;
}

uint8_t script(char32_t c) {
  const ScriptRange* range = find_range(kScriptRanges, kScriptRangeCount, c);
  return range == nullptr ? uint8_t{0} : range->script;
}

}  // namespace bert::unicode
