// Summary statistics of one attention head: its entropy and where its weights go. Stateless; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bert/experiments.h"

namespace bert::analysis {

// weights: [queries, tokens (key)], rows that sum to 1; special: [tokens], 1 for special tokens, or empty; queries:
// their indices among the tokens.
HeadSummary summarize_head(std::span<const float> weights, std::span<const uint8_t> special,
                           std::span<const size_t> queries);

}  // namespace bert::analysis
