// A pass: a way to convert a text to tokens. All passes return the same tokens as TokenizerSteps, which applies the
// normalizer, the pre-tokenizer and the model in turn. The other passes are faster, and accept only some models and
// texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tokenizer/model/byte_level.h"
#include "tokenizer/token_list.h"

namespace bert {

// A token whose characters differ from the vocabulary's: an added token has the characters that it matched, Unigram's
// unknown token has those of its text.
struct VerbatimToken {
  size_t index;  // in the sequence
  EndSpaces spaces;
};

// Throws Error(kInvalidText) for the byte at text[position], which begins no character. what: text, pair.
[[noreturn]] void refuse_byte(std::string_view text, std::string_view what, size_t position);

// The state of tokenizing one sequence: its text, and its tokens so far.
struct SequenceState {
  std::string_view text;
  std::string_view what;  // names the text in errors: text, pair
  bool split_special;     // special tokens are text
  TokenList& tokens;
  std::vector<VerbatimToken>* verbatim = nullptr;  // null: not requested
  int32_t word = 0;                                // index of the next word

  // Records that the next token has these characters.
  void note_verbatim(std::string_view characters) const {
    if (verbatim != nullptr && tokens.keeps_next()) verbatim->push_back({tokens.size(), end_spaces(characters)});
  }
  void append_added_token(int32_t id, std::string_view characters, Offset source) {
    note_verbatim(characters);
    tokens.push_back({id, word++, source});
  }
  // Throws Error(kInvalidText) if bytes [begin, end) are not valid UTF-8, or lie too far in the text for the steps.
  void check_bytes(size_t begin, size_t end) const;
};

class TextPass {
 public:
  virtual ~TextPass() = default;

  // Returns whether append_tokens() checks the bytes as it reads them; if not, the caller must call
  // SequenceState::check_bytes.
  virtual bool checks_bytes() const { return false; }

  // Appends the tokens of bytes [begin, end) of the text, which lie between two added tokens of the raw text. Returns
  // false, and appends nothing, for a text that the pass does not accept. Throws Error(kInvalidText).
  virtual bool append_tokens(SequenceState& sequence, size_t begin, size_t end) const = 0;
};

}  // namespace bert
