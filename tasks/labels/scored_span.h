// A span of words and a label.
#pragma once

#include <cstddef>

namespace bert {

struct ScoredSpan {
  size_t first = 0;  // index of the first word
  size_t last = 0;
  size_t label = 0;
  double score = 0;  // from 0 to 1
};

}  // namespace bert
