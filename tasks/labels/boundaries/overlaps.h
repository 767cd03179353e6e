// Which spans are entities where each label stands alone: those of one label do not exclude those of another.
// Source: gliner2 2.1.0, overlap and finalize_spans. Stateless.
#pragma once

#include <cstddef>
#include <vector>

#include "tasks/labels/scored_span.h"

namespace bert {

enum class OverlapPolicy {
  kBestFirst,  // the best first, none that overlaps one already chosen
  kBestSum,    // those without overlaps whose scores have the largest sum
  kNested,     // the best first, none that crosses one already chosen
  kLongest,    // those that lie in no other
};

// Different spans of words [0, words) with each label, in any order; the result is in the order of their first words,
// the best first.
std::vector<ScoredSpan> choose_for_each_label(std::vector<ScoredSpan> spans, size_t words, OverlapPolicy policy);

}  // namespace bert
