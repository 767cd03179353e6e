// Draws the input of an encoder as the sum of its vectors, token by token (Devlin et al. 2019, figure 2), as SVG.
// Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "program/drawings/drawing.h"

namespace bert::drawings {

struct SumDrawing {
  std::vector<std::string> tokens;
  std::vector<int32_t> ids;       // rows of the word table   [tokens]
  bool has_positions = true;      // a position vector is added; positions count from 0
  std::vector<int32_t> segments;  // rows of the segment table   [tokens]; empty: no segment vector is added
};

// Draws a column for each token: its word, position and segment row, and their sum.
Picture draw_sum(const SumDrawing& sum);

}  // namespace bert::drawings
