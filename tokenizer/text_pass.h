// A way through a text to its tokens. All ways give the same tokens: those of the normalizer, the pre-tokenizer and the
// model, one after another (TokenizerSteps). The others are faster, and each is for some models and texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tokenizer/model/byte_level.h"
#include "tokenizer/token_list.h"

namespace bert {

// A token whose characters are not the vocabulary's: an added token has those that it matched, Unigram's unknown token
// those of its text.
struct VerbatimToken {
  size_t index;  // in the sequence
  EndSpaces spaces;
};

// Throws Error(kInvalidText): the byte at text[position] begins no character. what: text, pair.
[[noreturn]] void refuse_byte(std::string_view text, std::string_view what, size_t position);

// One sequence that is tokenized: its text, and its tokens so far.
struct SequenceState {
  std::string_view text;
  std::string_view what;  // names the text in errors: text, pair
  bool split_special;     // special tokens are text
  TokenList& tokens;
  std::vector<VerbatimToken>* verbatim = nullptr;  // null: not asked for
  int32_t word = 0;                                // the number of the next word

  // The next token has these characters.
  void note_verbatim(std::string_view characters) const {
    if (verbatim != nullptr && tokens.keeps_next()) verbatim->push_back({tokens.size(), end_spaces(characters)});
  }
  void append_added_token(int32_t id, std::string_view characters, Offset source) {
    note_verbatim(characters);
    tokens.push_back({id, word++, source});
  }
  // Throws Error(kInvalidText): bytes [begin, end) are not valid UTF-8, or lie too far in the text for the steps.
  void check_bytes(size_t begin, size_t end) const;
};

class TextPass {
 public:
  virtual ~TextPass() = default;

  // Whether append_tokens() checks the bytes as it reads them; else the caller has done so
  // (SequenceState::check_bytes).
  virtual bool checks_bytes() const { return false; }

  // Appends the tokens of bytes [begin, end) of the text, between two added tokens of the raw text. Returns false, and
  // appends nothing, for a text that the pass is not for. Throws Error(kInvalidText).
  virtual bool append_tokens(SequenceState& sequence, size_t begin, size_t end) const = 0;
};

}  // namespace bert
