// Windows of a text that are whole words, for models whose words are tokenised alone. Only counts; no tokens.
// Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <span>

#include "tokenizer/post_processor/truncation.h"

namespace bert {

struct WindowRoom {
  size_t tokens = 0;  // of a window
  size_t words = 0;   // the same
  size_t stride = 0;  // tokens that adjacent windows share at least, if their words have room for it
};

// One past the last word of the window that begins with the word `first`; a word with more tokens than there is room
// for is a window of its own.   word_tokens: the tokens of each word
size_t window_end(std::span<const size_t> word_tokens, size_t first, const WindowRoom& room);

// The first word of the window after this one, which has the word behind it too.   window: of words, not the last one
size_t next_window(std::span<const size_t> word_tokens, TokenRange window, const WindowRoom& room);

}  // namespace bert
