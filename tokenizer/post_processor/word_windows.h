// Windows of a text that consist of whole words, for models whose words are tokenised separately. It only counts; it
// sees no tokens. Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <span>

#include "tokenizer/post_processor/truncation.h"

namespace bert {

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
