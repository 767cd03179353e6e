#include "tools/cli/explore/table_positions.h"

#include <algorithm>

#include "analysis/positions.h"
#include "tools/cli/console.h"
#include "tools/cli/explore/drawings.h"
#include "tools/cli/explore/report.h"

namespace bert::cli {
namespace {

constexpr size_t kNearest = 3;

bool all_equal(const analysis::Rows& rows) {
  for (size_t i = 1; i < rows.count(); ++i) {
    if (!std::equal(rows[i].begin(), rows[i].end(), rows[0].begin())) return false;
  }
  return true;
}

}  // namespace

TablePositions::Similarities TablePositions::similarities_of(const analysis::Rows& rows) {
  const size_t count = rows.count();
  Similarities table{analysis::cosine_matrix(rows), {}, 0};
  table.by_distance = analysis::mean_by_distance(table.cosines, count);
  for (size_t i = 0; i < count; ++i) {
    const size_t nearest = analysis::nearest_rows(table.cosines, count, i, 1).front();
    table.neighbours_nearest += nearest + 1 == i || nearest == i + 1 ? 1 : 0;
  }
  return table;
}

TablePositions::TablePositions(const PositionTable& table) : count_(table.positions), width_(table.hidden) {
  if (count_ < 4) throw InputError("the model has " + std::to_string(count_) + " positions, expected 4 or more");
  const analysis::Rows learned{table.values, width_};
  if (all_equal(learned)) throw InputError("the model's position vectors are all the same, expected different ones");
  const std::vector<float> fixed_table = analysis::sinusoidal_table(count_, width_);
  const analysis::Rows sinusoidal{fixed_table, width_};
  learned_ = similarities_of(learned);
  sinusoidal_ = similarities_of(sinusoidal);
  for (size_t i = 0; i < count_; ++i) norms_.push_back(analysis::norm(learned[i]));
  to_sinusoidal_ = analysis::fit_linear_map(learned, sinusoidal);
  to_learned_ = analysis::fit_linear_map(sinusoidal, learned);
}

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
    table.add({std::to_string(distance), fixed(learned_.by_distance[distance], 3),
               fixed(sinusoidal_.by_distance[distance], 3)});
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
  const auto add = [&](const char* from, const char* to, const analysis::LinearFit& fit) {
    table.add({from, to, std::to_string(fit.rank), percent(fit.unexplained, 1), percent(fit.by_chance, 1),
               percent(fit.held_out, 1)});
  };
  add("learned", "sinusoidal", to_sinusoidal_);
  add("sinusoidal", "learned", to_learned_);
  return table;
}

Table TablePositions::nearest_table() const {
  Table table({{"position", Align::kRight}, {"norm", Align::kRight}, {"learned: nearest"}, {"sinusoidal: nearest"}});
  const auto nearest = [&](const Similarities& of, size_t position) {
    std::string text;
    for (const size_t other : analysis::nearest_rows(of.cosines, count_, position, kNearest)) {
      text += (text.empty() ? "" : "  ") + std::to_string(other) + " (" +
              fixed(of.cosines[position * count_ + other], 2) + ")";
    }
    return text;
  };
  for (const size_t position : samples()) {
    table.add({std::to_string(position), fixed(norms_[position], 3), nearest(learned_, position),
               nearest(sinusoidal_, position)});
  }
  return table;
}

// The matrix of cosines shows similar neighbours as a band along its diagonal.
std::string TablePositions::band_verdict() const {
  const double near = learned_.by_distance[1];
  const double far = learned_.by_distance[count_ / 2];
  const char* band = near - far > 0.3    ? "are similar, distant ones are not (a diagonal band)"
                     : near - far > 0.03 ? "are slightly more similar than distant ones (a faint diagonal band)"
                                         : "are no more similar than distant ones (no diagonal band)";
  return std::string("Neighbouring learned positions ") + band;
}

std::string TablePositions::band_sentence() const {
  return band_verdict() + ". The mean cosine of neighbours is " + fixed(learned_.by_distance[1], 2) + " learned and " +
         fixed(sinusoidal_.by_distance[1], 2) + " sinusoidal; at distance " + std::to_string(count_ / 2) + " it is " +
         fixed(learned_.by_distance[count_ / 2], 2) + " and " + fixed(sinusoidal_.by_distance[count_ / 2], 2) + ".";
}

std::string TablePositions::fits_verdict() const {
  const double predicted = 1 - to_learned_.held_out;
  return predicted > 0.75   ? "The learned table is close to a linear map of the sinusoidal one"
         : predicted > 0.25 ? "The learned table is partly a linear map of the sinusoidal one"
                            : "The learned table is not a linear map of the sinusoidal one";
}

std::string TablePositions::fits_sentence() const {
  return fits_verdict() + ": the fit predicts " + percent(std::max(0.0, 1 - to_learned_.held_out)) +
         " of the variance of held-out positions, the reverse fit " +
         percent(std::max(0.0, 1 - to_sinusoidal_.held_out)) +
         ". (“By chance”: expected for unrelated vectors and this rank.)";
}

std::string TablePositions::nearest_sentence() const {
  return "The nearest other position is a neighbour for " + std::to_string(learned_.neighbours_nearest) + " of the " +
         std::to_string(count_) + " learned positions, and for " + std::to_string(sinusoidal_.neighbours_nearest) +
         " of the sinusoidal ones.";
}

void TablePositions::add_json(JsonWriter& object) const {
  object.number("position_count", count_);
  object.number("hidden", width_);
  const auto table_json = [&](const Similarities& of) {
    JsonWriter table;
    table.numbers<double>("cosine_by_distance", of.by_distance);
    table.number("neighbours_nearest", static_cast<double>(of.neighbours_nearest) / static_cast<double>(count_));
    std::string& rows = table.member("nearest");
    for (size_t i = 0; i < count_; ++i) {
      rows += i == 0 ? "[[" : ",[";
      std::string row;
      for (const size_t other : analysis::nearest_rows(of.cosines, count_, i, kNearest)) {
        row += (row.empty() ? "" : ",") + std::to_string(other);
      }
      rows += row + "]";
    }
    rows += ']';
    return table;
  };
  JsonWriter learned = table_json(learned_);
  learned.numbers<double>("norm", norms_);
  object.member("learned") += learned.take();
  object.member("sinusoidal") += table_json(sinusoidal_).take();
  const auto fit_json = [&](const char* name, const analysis::LinearFit& fit) {
    JsonWriter of_fit;
    of_fit.number("rank", fit.rank);
    of_fit.number("unexplained", fit.unexplained);
    of_fit.number("by_chance", fit.by_chance);
    of_fit.number("held_out", fit.held_out);
    object.member(name) += of_fit.take();
  };
  fit_json("learned_to_sinusoidal", to_sinusoidal_);
  fit_json("sinusoidal_to_learned", to_learned_);
}

void TablePositions::add_to(Page& page) const {
  const auto matrix = [&](const char* title, const Similarities& of) {
    return draw_matrix({.title = title, .columns_are = "position", .columns = count_, .values = of.cosines});
  };
  page.section("Cosines of all positions", band_sentence());
  page.legend({{Ink::kBlue, "cosine above 0"}, {Ink::kOrange, "cosine below 0"}});
  page.drawings({{"Learned", matrix("Cosines of all learned positions", learned_)},
                 {"Sinusoidal", matrix("Cosines of all sinusoidal positions", sinusoidal_)}});
  page.section("By distance", "The mean cosine of two positions, by distance.");
  page.drawing(draw_line_chart({.title = "Mean cosine of two positions by distance",
                                .x_axis = "distance in positions",
                                .y_axis = "mean cosine",
                                .lines = {{"learned", Ink::kBlue, learned_.by_distance},
                                          {"sinusoidal", Ink::kOrange, sinusoidal_.by_distance}}}));
  page.table(distance_table());
  page.section("Linear fit of one table to the other", fits_sentence());
  BarChart bars{.title = "Variance that the linear fit leaves unexplained", .rows = {}};
  const auto add = [&](const char* name, const analysis::LinearFit& fit) {
    const auto row = [&](const char* what, double value, Ink ink) {
      bars.rows.push_back({std::string(name) + what, {{std::min(value, 1.0), ink}}, percent(value, 1)});
    };
    row("", fit.unexplained, Ink::kBlue);
    row(", by chance", fit.by_chance, Ink::kGrey);
    row(", held out", fit.held_out, Ink::kOrange);
  };
  add("to sinusoidal", to_sinusoidal_);
  add("to learned", to_learned_);
  page.legend({{Ink::kBlue, "unexplained, positions of the fit"},
               {Ink::kGrey, "unexplained by chance"},
               {Ink::kOrange, "unexplained, held-out positions"}});
  page.drawing(draw_bar_chart(bars));
  page.table(fits_table());
  page.section("Nearest positions", nearest_sentence());
  page.table(nearest_table());
}

}  // namespace bert::cli
