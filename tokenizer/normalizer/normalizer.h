// The normalizer of a tokenizer: a list of steps, each applied to the whole text. If the only step is a BertNormalizer,
// as for every BERT, WordPiecePass streams instead. Source: Hugging Face tokenizers 0.22.2, normalizers. Immutable
// after it is built; any number of threads may use one.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tokenizer/normalizer/bert_normalizer.h"
#include "tokenizer/normalizer/charsmap.h"
#include "tokenizer/normalizer/normalized_text.h"
#include "tokenizer/pattern/pattern.h"
#include "tokenizer/unicode/normal_form.h"

namespace bert {

// Replaces each match by `content`, with the source of the match's last byte.
struct Replacement {
  Pattern pattern;
  std::string content;
  bool operator==(const Replacement&) const = default;
};
void apply(const Replacement& replacement, NormalizedText& text);

// Removes white space at the ends.
struct StrippedEnds {
  bool left = true;
  bool right = true;
  bool operator==(const StrippedEnds&) const = default;
};
void apply(const StrippedEnds& ends, NormalizedText& text);

// Inserts content before a non-empty text, with the source of the text's first character.
struct Prepended {
  std::string content;
  bool operator==(const Prepended&) const = default;
};
void apply(const Prepended& prepended, NormalizedText& text);

// Maps each byte to its character (tokenizer/model/byte_level.h).
struct ByteMapped {
  bool operator==(const ByteMapped&) const = default;
};
void apply(const ByteMapped&, NormalizedText& text);

// Nmt: deletes most control characters, and replaces others, line separators, direction marks and U+FFFD by spaces.
struct CleanedControls {
  bool operator==(const CleanedControls&) const = default;
};
void apply(const CleanedControls&, NormalizedText& text);

void apply(const BertNormalizer& normalizer, NormalizedText& text);
inline void apply(const std::shared_ptr<const Charsmap>& charsmap, NormalizedText& text) { charsmap->apply(text); }

// Charsmap is shared, because its tables are large and normalizers are copied.
using NormalizerStep = std::variant<BertNormalizer, NormalForm, Replacement, StrippedEnds, Prepended, ByteMapped,
                                    CleanedControls, std::shared_ptr<const Charsmap>>;

class Normalizer {
 public:
  Normalizer() = default;
  Normalizer(const BertNormalizer& normalizer) { add(normalizer); }

  // Adds a step. A BertNormalizer is joined with a BertNormalizer before it if one pass can do both.
  void add(NormalizerStep step);

  // Returns the only step if it is a BertNormalizer, else null.
  const BertNormalizer* single() const;

  std::shared_ptr<const Charsmap> charsmap() const;  // the first such step's, or null

  bool lowercases() const;
  bool strips_accents() const;
  bool splits_ideographs() const;
  const std::vector<NormalizerStep>& steps() const { return steps_; }
  void apply(NormalizedText& text) const;
  bool operator==(const Normalizer&) const = default;

 private:
  std::vector<NormalizerStep> steps_ = {BertNormalizer()};
};

// Returns the unchanged text, each character its own source. begin: its position in the original.
NormalizedText original_text(std::string_view text, size_t begin);

}  // namespace bert
