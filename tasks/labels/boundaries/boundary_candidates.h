// Chooses which pairs of boundaries are candidates for entities, by score as the reference does. Source: gliner2 2.1.0,
// proposal.py and pool.py. Stateless.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tasks/labels/boundaries/boundary_settings.h"
#include "tasks/labels/boundaries/span_content.h"

namespace bert {

// Returns the indices of the `count` largest values, or of all if there are fewer; the largest first, of equal ones the
// first.
std::vector<size_t> largest(std::span<const float> values, size_t count);

// Returns how many boundaries of a text are tried as beginnings or as ends. base: the number for a short text.
size_t boundaries_to_try(const BoundarySettings& settings, size_t base, size_t boundaries);

struct ScoredPair {
  BoundaryPair pair;
  float score = 0;
};

// Returns at most `count` different pairs, each with its best score; the best first, of equal ones the smaller start,
// then the smaller end.
std::vector<BoundaryPair> best_pairs(std::vector<ScoredPair> pairs, size_t count);

}  // namespace bert
