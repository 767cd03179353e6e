// Computes how many tokens of a text and its pair are kept, and the windows of a longer text. It only counts; it sees
// no tokens. Source: Hugging Face tokenizers 0.22.2, utils/truncation and Encoding::truncate. Stateless; safe to call
// from many threads.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "bert/tokenizer.h"

namespace bert {

// Tokens [begin, end) of a sequence.
struct TokenRange {
  size_t begin;
  size_t end;
  size_t size() const { return end - begin; }
  bool operator==(const TokenRange&) const = default;
};

struct SequenceLengths {
  size_t text;
  std::optional<size_t> pair;
};

// Returns how many tokens of each are kept to fit into `room` (max_length without the special tokens). Throws
// Error(kInvalidText) if the strategy's sequence is too short or missing, or if the strategy is kError and they do not
// fit.
SequenceLengths truncated_lengths(const SequenceLengths& lengths, size_t room, Truncation strategy);

// Returns the windows of a sequence of `length` tokens of which `kept` fit: first the window of the main result. Throws
// Error(kInvalidArgument) if the sequence is cut and stride is not less than kept.
std::vector<TokenRange> token_windows(size_t length, size_t kept, size_t stride, Direction direction);

// For windows of whole words, for models whose words are tokenised separately.
struct WindowRoom {
  size_t tokens = 0;  // the most of a window
  size_t words = 0;   // the most of a window
  size_t stride = 0;  // tokens that adjacent windows share at least, if their words fit
};

// Returns one past the last word of the window that begins with the word `first`; a word with more tokens than fit is a
// window of its own.   word_tokens: the tokens of each word
size_t window_end(std::span<const size_t> word_tokens, size_t first, const WindowRoom& room);

// Returns the first word of the window after this one, which must include the next word.   window: of words, not the
// last window
size_t next_window(std::span<const size_t> word_tokens, TokenRange window, const WindowRoom& room);

}  // namespace bert
