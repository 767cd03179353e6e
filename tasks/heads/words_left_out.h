// Computes scores without each of a text's words: the word's ids are removed, and later tokens move up. Stateless.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bert/explain.h"

namespace bert {

// A text without some of its tokens, as a model's input.
struct ShortenedText {
  std::vector<int32_t> ids;
  std::vector<int32_t> type_ids;  // empty: all 0

  TokenSequence sequence() const { return {.ids = ids, .type_ids = type_ids}; }
};

// Returns a shortened text for each word. Throws Error(kInvalidArgument) if no token would be left.
std::vector<ShortenedText> shortened_texts(const TokenSequence& whole, std::span<const TextWord> words);

// Calls `compute` with batches of the texts, in order, each for one forward pass, and with the index of the batch's
// first text.
void for_each_batch(std::span<const ShortenedText> texts,
                    const std::function<void(size_t first, std::span<const TokenSequence> batch)>& compute);

// Throws Error(kInvalidArgument) unless the text is whole, not a window.
void check_whole_text(const TextResult& text);

}  // namespace bert
