// Which pairs of boundaries are candidates for entities: choices by score, as the reference makes them.
// Source: gliner2 2.1.0, proposal.py and pool.py. Stateless.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tasks/labels/boundaries/boundary_settings.h"
#include "tasks/labels/boundaries/span_content.h"

namespace bert {

// The indices of the `count` largest values, or of all if they are fewer, the largest first; of equal ones the first.
std::vector<size_t> largest(std::span<const float> values, size_t count);

// How many boundaries of a text are tried as beginnings, or ends. base: of a short text.
size_t boundaries_to_try(const BoundarySettings& settings, size_t base, size_t boundaries);

struct ScoredPair {
  BoundaryPair pair;
  float score = 0;
};

// Each pair once, with its best score; the best first, of equal ones that with the smaller start, then end. No more
// than `count`.
std::vector<BoundaryPair> best_pairs(std::vector<ScoredPair> pairs, size_t count);

}  // namespace bert
