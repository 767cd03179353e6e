// Which of the spans that a model scored are entities: the best first, none that overlaps one already chosen.
// Source: gliner 0.2.29, decoding. Stateless.
#pragma once

#include <vector>

#include "tasks/labels/scored_span.h"

namespace bert {

// In the order of their first words. nested: a span may lie in another one, but not cross it. multi_label: a span may
// be chosen with several labels.
std::vector<ScoredSpan> choose_entities(std::vector<ScoredSpan> spans, size_t words, bool nested, bool multi_label);

}  // namespace bert
