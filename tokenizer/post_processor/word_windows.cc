#include "tokenizer/post_processor/word_windows.h"

namespace bert {

size_t window_end(std::span<const size_t> word_tokens, size_t first, const WindowRoom& room) {
  size_t end = first + 1, tokens = word_tokens[first];
  while (end < word_tokens.size() && end - first < room.words && tokens + word_tokens[end] <= room.tokens) {
    tokens += word_tokens[end++];
  }
  return end;
}

size_t next_window(std::span<const size_t> word_tokens, TokenRange window, const WindowRoom& room) {
  size_t begin = window.end, shared = 0;
  while (shared < room.stride && begin > window.begin + 1 && window.end - begin + 2 <= room.words &&
         shared + word_tokens[begin - 1] + word_tokens[window.end] <= room.tokens) {
    shared += word_tokens[--begin];
  }
  return begin;
}

}  // namespace bert
