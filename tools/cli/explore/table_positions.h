// The part of the command positions about a position table: it is compared with the fixed sinusoidal one. Used by one
// thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bert/experiments.h"
#include "tools/cli/common.h"
#include "tools/cli/explore/drawings.h"

namespace bert::cli {

class TablePositions {
 public:
  // Throws Error for fewer than 4 positions, and if all are the same.
  explicit TablePositions(const PositionTable& table);

  std::string answer() const;  // two sentences
  std::string text(const TextStyle& style) const;
  void add_json(JsonWriter& object) const;
  void add_to(Page& page) const;
  std::string shape() const;  // "512 positions of 384 numbers"

 private:
  std::vector<size_t> samples() const;
  Table distance_table() const;
  Table fits_table() const;
  Table nearest_table() const;
  std::string band_verdict() const;
  std::string band_sentence() const;
  std::string fits_verdict() const;
  std::string fits_sentence() const;
  std::string nearest_sentence() const;

  size_t count_;
  size_t width_;
  SinusoidComparison comparison_;
};

}  // namespace bert::cli
