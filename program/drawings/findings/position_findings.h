// Findings about the places of tokens, from a model's position table and its attention scores. Immutable.
#pragma once

#include <optional>
#include <string>

#include "program/drawings/distance_positions.h"
#include "program/drawings/findings/findings.h"
#include "program/drawings/table_positions.h"

namespace bert::drawings {

class PositionFindings : public Findings {
 public:
  explicit PositionFindings(const Model& model);
  explicit PositionFindings(DistancePositions distances);  // for a configuration without weights

  bool empty() const { return !table_ && distances_.empty(); }
  const std::optional<TablePositions>& table() const { return table_; }
  const DistancePositions& distances() const { return distances_; }

  // The findings must not be empty.
  std::string title() const override;
  std::string answer() const override;
  std::string text(const TextStyle& style) const override;
  void add_main(Page& page) const override;
  void add_details(Page& page) const override;

 private:
  std::optional<TablePositions> table_;
  DistancePositions distances_;
};

}  // namespace bert::drawings
