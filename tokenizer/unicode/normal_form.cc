#include "tokenizer/unicode/normal_form.h"

#include <algorithm>
#include <vector>

#include "engine/base/utf8.h"
#include "tokenizer/unicode/unicode.h"

namespace bert {
namespace {

// Decomposed and in canonical order; the second and later characters of a decomposition count as inserted.
std::vector<CharChange> decompose(const std::string& bytes, bool compatibility) {
  std::vector<CharChange> result;
  result.reserve(bytes.size());
  size_t ordered = 0;  // result[ordered...] are marks not yet ordered
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

// Unicode Standard 3.11, D117, in place: a character that is not blocked joins the last starter.
void compose(std::vector<CharChange>& text) {
  size_t size = 0;  // of the result, which is the beginning of `text`
  size_t starter = 0;
  bool has_starter = false;
  uint8_t last_class = 0;  // of the last character kept after the starter; 0: none
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

}  // namespace

void apply(const NormalForm& form, NormalizedText& text) {
  std::vector<CharChange> changes = decompose(text.bytes, form.compatibility);
  if (form.composed) compose(changes);
  transform(text, changes);
}

}  // namespace bert
