// What the Replace and Split components search for: a text, a run of one character, or a regular expression. The
// expressions of published byte-level tokenizers have scanners here; others need Oniguruma
// (tokenizer/pattern/regular_expression.h). Immutable; any number of threads may use one.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tokenizer/normalizer/normalized_text.h"
#include "tokenizer/pattern/byte_level_words.h"
#include "tokenizer/pattern/regular_expression.h"

namespace bert {

class Pattern {
 public:
  static Pattern text(std::string text) { return Pattern(PlainText{std::move(text), 0}); }

  // Matches runs of at least this many of a character.
  static Pattern runs(std::string character, size_t at_least) {
    return Pattern(PlainText{std::move(character), at_least});
  }

  // where: the place in a file. Throws as RegularExpression does.
  static Pattern regular_expression(std::string_view expression, std::string_view where);

  // Appends the matches in a valid UTF-8 text, as RegularExpression::find does. An empty pattern matches between all
  // characters.
  void find(std::string_view text, std::vector<TextRange>& matches) const;

  // Return the scanner of an expression whose matches are the words of byte-level tokenizers; else null.
  EndsWord ends_word() const;
  WordEnd word_end() const;

  // Returns whether no match can contain both the character before text[at] and the one at it, whatever follows.
  bool may_cut(std::string_view text, size_t at) const;

  // Returns whether both are the same text or expression.
  bool operator==(const Pattern& other) const;

 private:
  // at_least: 0 unless the text is a character whose runs match.
  struct PlainText {
    std::string text;
    size_t at_least = 0;
    bool operator==(const PlainText&) const = default;
  };
  using Expression = std::shared_ptr<const RegularExpression>;

  explicit Pattern(std::variant<PlainText, const KnownExpression*, Expression> kind) : kind_(std::move(kind)) {}
  static bool read_run(std::string_view expression, PlainText& run);

  std::variant<PlainText, const KnownExpression*, Expression> kind_;
};

}  // namespace bert
