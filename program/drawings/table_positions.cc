#include "program/drawings/table_positions.h"

#include <algorithm>
#include <span>

#include "engine/base/joined.h"
#include "program/drawings/charts.h"
#include "program/drawings/findings/findings.h"

namespace bert::drawings {

using namespace common;

std::span<const size_t> nearest_of(const PositionSimilarities& of, size_t position) {
  constexpr size_t kNearest = PositionSimilarities::kNearest;
  return std::span(of.nearest).subspan(position * kNearest, kNearest);
}

TablePositions::TablePositions(const PositionTable& table)
    : count_(table.positions), width_(table.hidden), comparison_(compare_with_sinusoids(table)) {}

std::string TablePositions::shape() const {
  return std::to_string(count_) + " positions of " + std::to_string(width_) + " numbers";
}

std::string TablePositions::answer() const { return band_verdict() + ". " + fits_verdict() + "."; }

std::string TablePositions::text(const TextStyle& style) const {
  return "mean cosine of two positions, by distance\n" + distance_table().text(style) + "\n" + band_sentence() +
         "\n\nlinear fit of one table to the other: unexplained variance\n" + fits_table().text(style) + "\n" +
         fits_sentence() + "\n\nnearest positions, by cosine\n" + nearest_table().text(style) + "\n" +
         nearest_sentence();
}

std::vector<size_t> TablePositions::samples() const {
  std::vector<size_t> result = {0, 1, 2};
  for (size_t position = 4; position < count_; position *= 2) result.push_back(position);
  if (result.back() != count_ - 1) result.push_back(count_ - 1);
  return result;
}

Table TablePositions::distance_table() const {
  Table table({{"distance", Align::kRight}, {"learned", Align::kRight}, {"sinusoidal", Align::kRight}});
  for (const size_t distance : doubling_distances(count_ - 1)) {
    table.add({std::to_string(distance), fixed(comparison_.learned.by_distance[distance], 3),
               fixed(comparison_.sinusoidal.by_distance[distance], 3)});
  }
  return table;
}

Table TablePositions::fits_table() const {
  Table table({{"from"},
               {"to"},
               {"rank", Align::kRight},
               {"unexplained", Align::kRight},
               {"by chance", Align::kRight},
               {"held out", Align::kRight}});
  const auto add = [&](const char* from, const char* to, const LinearFit& fit) {
    table.add({from, to, std::to_string(fit.rank), percent(fit.unexplained, 1), percent(fit.by_chance, 1),
               percent(fit.held_out, 1)});
  };
  add("learned", "sinusoidal", comparison_.learned_to_sinusoidal);
  add("sinusoidal", "learned", comparison_.sinusoidal_to_learned);
  return table;
}

Table TablePositions::nearest_table() const {
  Table table({{"position", Align::kRight}, {"norm", Align::kRight}, {"learned: nearest"}, {"sinusoidal: nearest"}});
  const auto nearest = [&](const PositionSimilarities& of, size_t position) {
    return joined(nearest_of(of, position), "  ", [&](size_t other) {
      return std::to_string(other) + " (" + fixed(of.cosines[position * count_ + other], 2) + ")";
    });
  };
  for (const size_t position : samples()) {
    table.add({std::to_string(position), fixed(comparison_.norms[position], 3), nearest(comparison_.learned, position),
               nearest(comparison_.sinusoidal, position)});
  }
  return table;
}

// Says whether the matrix of cosines has a band along its diagonal, which means that neighbours are similar.
std::string TablePositions::band_verdict() const {
  const double near = comparison_.learned.by_distance[1];
  const double far = comparison_.learned.by_distance[count_ / 2];
  const char* band = near - far > 0.3    ? "are similar, distant ones are not (a diagonal band)"
                     : near - far > 0.03 ? "are slightly more similar than distant ones (a faint diagonal band)"
                                         : "are no more similar than distant ones (no diagonal band)";
  return std::string("Neighbouring learned positions ") + band;
}

std::string TablePositions::band_sentence() const { return band_verdict() + ". " + neighbours_sentence(); }

std::string TablePositions::neighbours_sentence() const {
  return "The mean cosine of neighbours is " + fixed(comparison_.learned.by_distance[1], 2) + " learned and " +
         fixed(comparison_.sinusoidal.by_distance[1], 2) + " sinusoidal; at distance " + std::to_string(count_ / 2) +
         " it is " + fixed(comparison_.learned.by_distance[count_ / 2], 2) + " and " +
         fixed(comparison_.sinusoidal.by_distance[count_ / 2], 2) + ".";
}

std::string TablePositions::fits_verdict() const {
  const double predicted = 1 - comparison_.sinusoidal_to_learned.held_out;
  return predicted > 0.75   ? "The learned table is close to a linear map of the sinusoidal one"
         : predicted > 0.25 ? "The learned table is partly a linear map of the sinusoidal one"
                            : "The learned table is not a linear map of the sinusoidal one";
}

std::string TablePositions::fits_sentence() const { return fits_verdict() + ": the fit " + predicted_sentence(); }

std::string TablePositions::predicted_sentence() const {
  return "predicts " + percent(std::max(0.0, 1 - comparison_.sinusoidal_to_learned.held_out)) +
         " of the variance of held-out positions, the reverse fit " +
         percent(std::max(0.0, 1 - comparison_.learned_to_sinusoidal.held_out)) +
         ". (“By chance”: expected for unrelated vectors and this rank.)";
}

std::string TablePositions::nearest_sentence() const {
  return "The nearest other position is a neighbour for " + std::to_string(comparison_.learned.neighbours_nearest) +
         " of the " + std::to_string(count_) + " learned positions, and for " +
         std::to_string(comparison_.sinusoidal.neighbours_nearest) + " of the sinusoidal ones.";
}

void TablePositions::add_main(Page& page) const {
  const auto matrix = [&](const char* title, const PositionSimilarities& of) {
    return draw_matrix({.title = title, .columns_are = "position", .columns = count_, .values = of.cosines});
  };
  page.section("Cosines of all positions", neighbours_sentence());
  page.legend({{Ink::kBlue, "cosine above 0"}, {Ink::kOrange, "cosine below 0"}});
  page.drawings({{"Learned", matrix("Cosines of all learned positions", comparison_.learned)},
                 {"Sinusoidal", matrix("Cosines of all sinusoidal positions", comparison_.sinusoidal)}});
}

void TablePositions::add_details(Page& page) const {
  page.section("By distance", "The mean cosine of two positions, by distance.");
  page.drawing(draw_line_chart({.title = "Mean cosine of two positions by distance",
                                .x_axis = "distance in positions",
                                .y_axis = "mean cosine",
                                .lines = {{"learned", Ink::kBlue, comparison_.learned.by_distance},
                                          {"sinusoidal", Ink::kOrange, comparison_.sinusoidal.by_distance}}}));
  page.table(distance_table());
  page.section("Linear fit of one table to the other", "The fit " + predicted_sentence());
  BarChart bars{.title = "Variance that the linear fit leaves unexplained", .rows = {}};
  const auto add = [&](const char* name, const LinearFit& fit) {
    const auto row = [&](const char* what, double value, Ink ink) {
      bars.rows.push_back({std::string(name) + what, {{std::min(value, 1.0), ink}}, percent(value, 1)});
    };
    row("", fit.unexplained, Ink::kBlue);
    row(", by chance", fit.by_chance, Ink::kGrey);
    row(", held out", fit.held_out, Ink::kOrange);
  };
  add("to sinusoidal", comparison_.learned_to_sinusoidal);
  add("to learned", comparison_.sinusoidal_to_learned);
  page.legend({{Ink::kBlue, "unexplained, positions of the fit"},
               {Ink::kGrey, "unexplained by chance"},
               {Ink::kOrange, "unexplained, held-out positions"}});
  page.drawing(draw_bar_chart(bars));
  page.table(fits_table());
  page.section("Nearest positions", nearest_sentence());
  page.table(nearest_table());
}

}  // namespace bert::drawings
