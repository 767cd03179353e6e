// What a score is without each of a text's words: their ids are removed, and the tokens after them move up. Stateless.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bert/explain.h"

namespace bert {

// The input of a model without some tokens.
struct ShortenedText {
  std::vector<int32_t> ids;
  std::vector<int32_t> type_ids;  // empty: all 0

  TokenSequence sequence() const { return {.ids = ids, .type_ids = type_ids}; }
};

// One for each word. Throws Error(kInvalidArgument) where no token would be left.
std::vector<ShortenedText> shortened_texts(const TokenSequence& whole, std::span<const TextWord> words);

// Calls `compute` with batches of these in order, each of one forward pass's tokens, and with the first one's index.
void for_each_batch(std::span<const ShortenedText> texts,
                    const std::function<void(size_t first, std::span<const TokenSequence> batch)>& compute);

// Throws Error(kInvalidArgument) unless this is a whole text.
void check_whole_text(const TextResult& text);

}  // namespace bert
