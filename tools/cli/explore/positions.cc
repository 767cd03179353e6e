// The command positions: the learned position vectors compared with the fixed sinusoidal ones.
#include "analysis/positions.h"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "analysis/linear_map.h"
#include "tools/cli/command.h"
#include "tools/cli/explore/html/charts.h"
#include "tools/cli/explore/html/page.h"
#include "tools/cli/explore/report.h"
#include "tools/cli/json_text.h"
#include "tools/cli/run_summary.h"
#include "tools/cli/table.h"

namespace bert::cli {
namespace {

constexpr size_t kNearest = 3;

// The similarities of one table's positions.
struct Similarities {
  std::vector<double> cosines;      // [positions, positions]
  std::vector<double> by_distance;  // mean cosine of two positions, by their distance
  size_t neighbours_nearest = 0;    // positions whose nearest other position is a neighbour
};

Similarities similarities_of(const analysis::Rows& rows) {
  const size_t count = rows.count();
  Similarities table{analysis::cosine_matrix(rows), {}, 0};
  table.by_distance = analysis::mean_by_distance(table.cosines, count);
  for (size_t i = 0; i < count; ++i) {
    const size_t nearest = analysis::nearest_rows(table.cosines, count, i, 1).front();
    table.neighbours_nearest += nearest + 1 == i || nearest == i + 1 ? 1 : 0;
  }
  return table;
}

class PositionTables : public Command {
 public:
  void declare(OptionTable& table) override { declare_report(table, options, html_, ReportOf::kModel); }

  int run(Console& console) override {
    require_no_text(options, "positions");
    require_separate_page(options, html_);
    Output output(options.output, Output::Access::kStream);
    const Model model = load_model(options, console);
    const PositionTable table = position_table(model);
    count_ = table.positions;
    width_ = table.hidden;
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

    model.check_files();
    write_report(options, html_, output,
                 {.page = [&] { return page(model_name(model)); },
                  .text =
                      [&](bool color) {
                        return "mean cosine of two positions, by distance\n" + distance_table().text(color) + "\n" +
                               band_sentence() + "\n\nlinear fit of one table to the other: unexplained variance\n" +
                               fits_table().text(color) + "\n" + fits_sentence() +
                               "\n\nnearest positions, by cosine\n" + nearest_table().text(color) + "\n" +
                               nearest_sentence();
                      },
                  .json = [&] { return json(); }});
    return kDone;
  }

 private:
  bool all_equal(const analysis::Rows& rows) const {
    for (size_t i = 1; i < count_; ++i) {
      if (!std::equal(rows[i].begin(), rows[i].end(), rows[0].begin())) return false;
    }
    return true;
  }

  // 1, 2, 4, …
  std::vector<size_t> distances() const {
    std::vector<size_t> result;
    for (size_t distance = 1; distance < count_; distance *= 2) result.push_back(distance);
    return result;
  }

  std::vector<size_t> samples() const {
    std::vector<size_t> result = {0, 1, 2};
    for (size_t position = 4; position < count_; position *= 2) result.push_back(position);
    if (result.back() != count_ - 1) result.push_back(count_ - 1);
    return result;
  }

  Table distance_table() const {
    Table table({{"distance", Align::kRight}, {"learned", Align::kRight}, {"sinusoidal", Align::kRight}});
    for (const size_t distance : distances()) {
      table.add({std::to_string(distance), fixed(learned_.by_distance[distance], 3),
                 fixed(sinusoidal_.by_distance[distance], 3)});
    }
    return table;
  }

  Table fits_table() const {
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

  Table nearest_table() const {
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
  std::string band_sentence() const {
    const double near = learned_.by_distance[1];
    const double far = learned_.by_distance[count_ / 2];
    const char* band = near - far > 0.3    ? "are similar, distant ones are not (a diagonal band)"
                       : near - far > 0.03 ? "are slightly more similar than distant ones (a faint diagonal band)"
                                           : "are no more similar than distant ones (no diagonal band)";
    return std::string("Neighbouring learned positions ") + band + ". The mean cosine of neighbours is " +
           fixed(near, 2) + " learned and " + fixed(sinusoidal_.by_distance[1], 2) + " sinusoidal; at distance " +
           std::to_string(count_ / 2) + " it is " + fixed(far, 2) + " and " +
           fixed(sinusoidal_.by_distance[count_ / 2], 2) + ".";
  }

  std::string fits_sentence() const {
    const double predicted = 1 - to_learned_.held_out;
    const std::string verdict = predicted > 0.75   ? "The learned table is close to a linear map of the sinusoidal one"
                                : predicted > 0.25 ? "The learned table is partly a linear map of the sinusoidal one"
                                                   : "The learned table is not a linear map of the sinusoidal one";
    return verdict + ": the fit predicts " + percent(std::max(0.0, predicted)) +
           " of the variance of held-out positions, the reverse fit " +
           percent(std::max(0.0, 1 - to_sinusoidal_.held_out)) +
           ". (“By chance”: expected for unrelated vectors and this rank.)";
  }

  std::string nearest_sentence() const {
    return "The nearest other position is a neighbour for " + std::to_string(learned_.neighbours_nearest) + " of the " +
           std::to_string(count_) + " learned positions, and for " + std::to_string(sinusoidal_.neighbours_nearest) +
           " of the sinusoidal ones.";
  }

  std::string json() const {
    JsonObject object;
    if (options.positions != Positions::kNative) object.string("positions", "absolute");
    object.number("position_count", count_);
    object.number("hidden", width_);
    const auto table_json = [&](const Similarities& of) {
      JsonObject table;
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
    JsonObject learned = table_json(learned_);
    learned.numbers<double>("norm", norms_);
    object.member("learned") += learned.take();
    object.member("sinusoidal") += table_json(sinusoidal_).take();
    const auto fit_json = [&](const char* name, const analysis::LinearFit& fit) {
      JsonObject of_fit;
      of_fit.number("rank", fit.rank);
      of_fit.number("unexplained", fit.unexplained);
      of_fit.number("by_chance", fit.by_chance);
      of_fit.number("held_out", fit.held_out);
      object.member(name) += of_fit.take();
    };
    fit_json("learned_to_sinusoidal", to_sinusoidal_);
    fit_json("sinusoidal_to_learned", to_learned_);
    return object.take();
  }

  Page page(const std::string& model) const {
    Page page("Learned and sinusoidal positions",
              model + ", " + std::to_string(count_) + " positions of " + std::to_string(width_) + " numbers");
    page.section("Cosines of all positions", band_sentence());
    page.legend({{Ink::kBlue, "cosine above 0"}, {Ink::kOrange, "cosine below 0"}});
    page.drawings({{"Learned", draw_matrix({"Cosines of all learned positions", "position", count_, learned_.cosines})},
                   {"Sinusoidal",
                    draw_matrix({"Cosines of all sinusoidal positions", "position", count_, sinusoidal_.cosines})}});
    page.section("By distance", "The mean cosine of two positions, by distance.");
    // The largest distances have few pairs.
    const auto shown = [&](const Similarities& of) {
      return std::vector<double>(of.by_distance.begin(),
                                 of.by_distance.begin() + static_cast<ptrdiff_t>(count_ * 3 / 4));
    };
    page.drawing(draw_line_chart(
        {.title = "Mean cosine of two positions by distance",
         .x_axis = "distance in positions",
         .y_axis = "mean cosine",
         .lines = {{"learned", Ink::kBlue, shown(learned_)}, {"sinusoidal", Ink::kOrange, shown(sinusoidal_)}}}));
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
    return page;
  }

  std::string html_;
  size_t count_ = 0;
  size_t width_ = 0;
  Similarities learned_, sinusoidal_;
  std::vector<double> norms_;  // of the learned vectors
  analysis::LinearFit to_sinusoidal_, to_learned_;
};

}  // namespace

std::unique_ptr<Command> make_positions() { return std::make_unique<PositionTables>(); }

}  // namespace bert::cli
