// Chooses which spans are entities if labels are independent: spans of one label do not exclude spans of another.
// Source: gliner2 2.1.0, overlap and finalize_spans. Stateless.
#pragma once

#include <cstddef>
#include <vector>

#include "tasks/labels/scored_span.h"

namespace bert {

enum class OverlapPolicy {
  kBestFirst,  // the best first; a span that overlaps a chosen one is dropped
  kBestSum,    // the spans without overlaps that have the largest sum of scores
  kNested,     // the best first; a span that crosses a chosen one is dropped
  kLongest,    // spans that are inside no other span
};

// Chooses among different spans of words [0, words) with each label, in any order. Returns them in the order of their
// first words; with equal first words, the best first.
std::vector<ScoredSpan> choose_for_each_label(std::vector<ScoredSpan> spans, size_t words, OverlapPolicy policy);

}  // namespace bert
