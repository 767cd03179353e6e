// Summary statistics of one attention head: its entropy and where its weights go. Stateless; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bert::analysis {

// Means over the queries of one head. All but the entropy are shares of the attention weights.
struct HeadSummary {
  double entropy_bits = 0;  // 0: all weight on one token; log2(tokens): uniform weights
  double self = 0;          // on the token itself
  double previous = 0;      // on the token before it
  double next = 0;          // on the token after it
  double special = 0;       // on special tokens
};

// weights: [tokens (query), tokens (key)], rows that sum to 1; special: [tokens], 1 on special tokens, or empty.
HeadSummary summarize_head(std::span<const float> weights, std::span<const uint8_t> special, size_t tokens);

}  // namespace bert::analysis
