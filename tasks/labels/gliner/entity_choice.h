// Chooses which of the scored spans are entities: the best first; a span that overlaps a chosen one is dropped. Source:
// gliner 0.2.29, decoding. Stateless.
#pragma once

#include <vector>

#include "tasks/labels/scored_span.h"

namespace bert {

// Returns the entities in the order of their first words. nested: a span may be inside another span, but not cross it.
// multi_label: a span may be chosen with several labels.
std::vector<ScoredSpan> choose_entities(std::vector<ScoredSpan> spans, size_t words, bool nested, bool multi_label);

}  // namespace bert
