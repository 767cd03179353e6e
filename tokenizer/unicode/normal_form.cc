#include "tokenizer/unicode/normal_form.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "engine/base/utf8.h"
#include "tokenizer/unicode/unicode.h"

namespace bert {
namespace {

// Decomposes and puts marks in canonical order; the second and later characters of a decomposition count as inserted.
std::vector<CharChange> decompose(const std::string& bytes, bool compatibility) {
  std::vector<CharChange> result;
  result.reserve(bytes.size());
  size_t ordered = 0;  // result[ordered...] are marks that are not ordered yet
  const auto order = [&] {
    std::stable_sort(result.begin() + static_cast<ptrdiff_t>(ordered), result.end(),
                     [](const CharChange& a, const CharChange& b) {
                       return unicode::combining_class(a.c) < unicode::combining_class(b.c);
                     });
    ordered = result.size();
  };
  for (size_t i = 0; i < bytes.size();) {
    const Utf8Char c = decode_utf8(bytes, i);
    i += c.bytes;
    char32_t canonical[unicode::kMaxDecomposition], compatible[unicode::kMaxCompatibility];
    const size_t count = compatibility ? unicode::decompose_compatibility(c.code_point, compatible)
                                       : unicode::decompose(c.code_point, canonical);
    const char32_t* const parts = compatibility ? compatible : canonical;
    for (size_t k = 0; k < count; ++k) {
      const bool starter = unicode::combining_class(parts[k]) == 0;
      if (starter) order();
      result.push_back({parts[k], k > 0});
      if (starter) ordered = result.size();
    }
  }
  order();
  return result;
}

// Composes in place (Unicode Standard 3.11, D117): a character that is not blocked joins the last starter.
void compose(std::vector<CharChange>& text) {
  size_t size = 0;  // size of the result, which is the beginning of `text`
  size_t starter = 0;
  bool has_starter = false;
  uint8_t last_class = 0;  // class of the last character kept after the starter; 0: none
  for (const CharChange next : std::vector<CharChange>(text)) {
    const uint8_t combining_class = unicode::combining_class(next.c);
    if (has_starter && (last_class == 0 || last_class < combining_class)) {
      if (const char32_t composed = unicode::compose(text[starter].c, next.c)) {
        text[starter] = {composed, text[starter].change + next.change - 1};
        continue;
      }
    }
    if (combining_class == 0) {
      starter = size;
      has_starter = true;
    }
    last_class = combining_class;
    text[size++] = next;
  }
  text.resize(size);
}

// The characters for which is_surely_nfc() returns false.
class NfcDoubts {
 public:
  static const NfcDoubts& all() {
    static const NfcDoubts doubts;
    return doubts;
  }
  bool has(char32_t c) const { return (words_[c / 64] >> (c % 64) & 1) != 0; }

 private:
  NfcDoubts() {
    for (size_t i = 0; i < kCompositionCount; ++i) add(kCompositions[i].second);
    for (char32_t c = kFirstVowel; c < kEndOfTrailing; ++c) add(c);
    for (size_t i = 0; i < kClassRangeCount; ++i) {
      for (char32_t c = kClassRanges[i].first; c <= kClassRanges[i].last; ++c) add(c);
    }
    for (size_t i = 0; i < kDecompositionCount; ++i) {
      const Decomposition& one = kDecompositions[i];
      std::vector<CharChange> parts;
      for (size_t k = 0; k < one.length; ++k) parts.push_back({kDecomposed[one.begin + k], 0});
      const bool joins = has(parts[0].c);
      compose(parts);
      if (joins || parts.size() > 1 || parts[0].c != one.code_point) add(one.code_point);
    }
  }
  void add(char32_t c) { words_[c / 64] |= uint64_t{1} << c % 64; }

  // Hangul's vowels and trailing consonants, which compose by arithmetic.
  static constexpr char32_t kFirstVowel = 0x1161, kEndOfTrailing = 0x11C3;
  std::array<uint64_t, 0x110000 / 64> words_{};
};

}  // namespace

bool is_surely_nfc(std::string_view text) {
  const NfcDoubts& doubts = NfcDoubts::all();
  for (size_t i = 0; i < text.size();) {
    const Utf8Char c = decode_utf8(text, i);
    if (c.bytes > 1 && doubts.has(c.code_point)) return false;
    i += c.bytes;
  }
  return true;
}

void apply(const NormalForm& form, NormalizedText& text) {
  std::vector<CharChange> changes = decompose(text.bytes, form.compatibility);
  if (form.composed) compose(changes);
  transform(text, changes);
}

}  // namespace bert
