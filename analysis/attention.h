// What kind of look an attention head has at a text, in a few numbers. Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bert::analysis {

// Means over the queries of one head.
struct HeadSummary {
  double entropy_bits = 0;  // 0: each token looks at one; log2(tokens): at all alike
  double self = 0;          // share of the attention that goes to the token itself,
  double previous = 0;      // to the one before it,
  double next = 0;          // to the one after it,
  double special = 0;       // and to special tokens
};

// weights: [tokens (query), tokens (key)], rows that sum to 1; special: [tokens], 1 on special tokens, or empty.
HeadSummary summarize_head(std::span<const float> weights, std::span<const uint8_t> special, size_t tokens);

}  // namespace bert::analysis
