// The normalizer of a tokenizer: steps one after the other, each over the whole text. Where it is a single Normalizer,
// as for every BERT, the pipeline streams instead; this is the way for all else. Source: Hugging Face tokenizers
// 0.22.2, normalizers. Immutable after it is built; any number of threads may use one.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tokenizer/charsmap.h"
#include "tokenizer/normal_form.h"
#include "tokenizer/normalized_text.h"
#include "tokenizer/normalizer.h"

namespace bert {

// Each place where `pattern` stands becomes `content`; with at_least above 0, each run of so many or more of it.
struct Replacement {
  std::string pattern = {};
  std::string content = {};
  size_t at_least = 0;
  bool operator==(const Replacement&) const = default;
};
void apply(const Replacement& replacement, NormalizedText& text);

// White space at the ends.
struct StrippedEnds {
  bool left = true;
  bool right = true;
  bool operator==(const StrippedEnds&) const = default;
};
void apply(const StrippedEnds& ends, NormalizedText& text);

// In front of a text that is not empty; it comes from where the first character does.
struct Prepended {
  std::string content;
  bool operator==(const Prepended&) const = default;
};
void apply(const Prepended& prepended, NormalizedText& text);

// Each byte becomes the character that stands for it (tokenizer/byte_level.h).
struct ByteMapped {
  bool operator==(const ByteMapped&) const = default;
};
void apply(const ByteMapped&, NormalizedText& text);

void apply(const Normalizer& normalizer, NormalizedText& text);
inline void apply(const std::shared_ptr<const Charsmap>& charsmap, NormalizedText& text) { charsmap->apply(text); }

// The tables of a Charsmap are large, and a normalizer is copied about.
using NormalizerStep = std::variant<Normalizer, NormalForm, Replacement, StrippedEnds, Prepended, ByteMapped,
                                    std::shared_ptr<const Charsmap>>;

class TextNormalizer {
 public:
  TextNormalizer() = default;
  TextNormalizer(const Normalizer& normalizer) { add(normalizer); }

  // A Normalizer joins the one before it where both are one pass in its order.
  void add(NormalizerStep step);

  // All that it does, where that is one pass; null where it is not.
  const Normalizer* single() const;

  bool lowercases() const;
  bool strips_accents() const;
  bool splits_ideographs() const;
  void apply(NormalizedText& text) const;
  bool operator==(const TextNormalizer&) const = default;

 private:
  std::vector<NormalizerStep> steps_ = {Normalizer()};
};

// Text as it stands, each character from its own place; `begin`: where the text stands in the original.
NormalizedText original_text(std::string_view text, size_t begin);

}  // namespace bert
