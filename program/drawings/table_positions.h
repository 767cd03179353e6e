// The part of the command positions about a position table, which is compared with the fixed sinusoidal table. Used by
// one thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "bert/experiments.h"
#include "program/common/table.h"
#include "program/drawings/page.h"

namespace bert::drawings {

// Returns the other positions with the highest cosines.
std::span<const size_t> nearest_of(const PositionSimilarities& of, size_t position);

class TablePositions {
 public:
  // Throws Error for fewer than 4 positions, and if all are equal.
  explicit TablePositions(const PositionTable& table);

  size_t count() const { return count_; }
  size_t width() const { return width_; }
  const SinusoidComparison& comparison() const { return comparison_; }

  std::string answer() const;  // returns two sentences
  std::string text(const common::TextStyle& style) const;
  void add_main(Page& page) const;     // the drawing that shows the answer
  void add_details(Page& page) const;  // the rest
  std::string shape() const;           // "512 positions of 384 numbers"

 private:
  std::vector<size_t> samples() const;
  common::Table distance_table() const;
  common::Table fits_table() const;
  common::Table nearest_table() const;
  std::string band_verdict() const;
  std::string band_sentence() const;
  std::string neighbours_sentence() const;
  std::string fits_verdict() const;
  std::string fits_sentence() const;
  std::string predicted_sentence() const;  // a sentence without its subject
  std::string nearest_sentence() const;

  size_t count_;
  size_t width_;
  SinusoidComparison comparison_;
};

}  // namespace bert::drawings
