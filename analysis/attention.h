// Summary statistics of one attention head: its entropy and where its weights go. Stateless; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bert/experiments.h"

namespace bert::analysis {

// weights: [tokens (query), tokens (key)], rows that sum to 1; special: [tokens], 1 on special tokens, or empty.
HeadSummary summarize_head(std::span<const float> weights, std::span<const uint8_t> special, size_t tokens);

}  // namespace bert::analysis
