#include "program/drawings/findings/position_findings.h"

#include <utility>

namespace bert::drawings {

PositionFindings::PositionFindings(const Model& model) : distances_(model.config(), score_positions(model)) {
  if (has_position_table(model)) table_.emplace(position_table(model));
}

PositionFindings::PositionFindings(DistancePositions distances) : distances_(std::move(distances)) {}

std::string PositionFindings::title() const {
  return distances_.empty() ? "Learned and sinusoidal positions" : "Positions";
}

std::string PositionFindings::answer() const {
  if (!table_) return distances_.answer();
  return table_->answer() + (distances_.empty() ? "" : " " + distances_.answer());
}

std::string PositionFindings::text(const TextStyle& style) const {
  if (!table_) return distances_.text(style);
  return table_->text(style) + (distances_.empty() ? "" : "\n\n" + distances_.text(style));
}

void PositionFindings::add_main(Page& page) const {
  if (table_) table_->add_main(page);
  if (!table_) distances_.add_main(page);
}

void PositionFindings::add_details(Page& page) const {
  if (table_) table_->add_details(page);
  if (distances_.empty()) return;
  if (table_) distances_.add_main(page);
  distances_.add_details(page);
}

}  // namespace bert::drawings
