// The command positions: the learned position vectors beside the fixed sinusoidal ones.
#include "analysis/positions.h"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "analysis/linear_map.h"
#include "tools/cli/command.h"
#include "tools/cli/explore/html/charts.h"
#include "tools/cli/explore/html/page.h"
#include "tools/cli/explore/question.h"
#include "tools/cli/json_text.h"
#include "tools/cli/run_summary.h"
#include "tools/cli/table.h"

namespace bert::cli {
namespace {

constexpr size_t kNearest = 3;

// What is read off one table.
struct Kind {
  std::string name;
  std::vector<double> map;          // [positions, positions]
  std::vector<double> by_distance;  // mean cosine of positions so far apart
  size_t neighbours_nearest = 0;    // positions whose nearest other is next to them
};

Kind read_off(const std::string& name, const analysis::Rows& rows) {
  const size_t count = rows.count();
  Kind kind{name, analysis::cosine_map(rows), {}, 0};
  kind.by_distance = analysis::mean_by_distance(kind.map, count);
  for (size_t i = 0; i < count; ++i) {
    const size_t nearest = analysis::nearest_rows(kind.map, count, i, 1).front();
    kind.neighbours_nearest += nearest + 1 == i || nearest == i + 1 ? 1 : 0;
  }
  return kind;
}

class PositionTables : public Command {
 public:
  void declare(OptionTable& table) override { declare_question(table, options, html_, false); }

  int run(Console& console) override {
    require_no_text(options, "positions");
    require_own_file(options, html_);
    Output output(options.output, Output::Access::kStream);
    const Model model = load_model(options, console);
    const PositionTable table = model.position_table();
    count_ = table.positions;
    width_ = table.hidden;
    if (count_ < 4) throw InputError("the model has " + std::to_string(count_) + " positions, expected 4 or more");
    const analysis::Rows learned{table.values, width_};
    if (all_equal(learned)) throw InputError("the model's position vectors are all the same, expected different ones");
    const std::vector<float> fixed_table = analysis::sinusoidal_table(count_, width_);
    const analysis::Rows sinusoidal{fixed_table, width_};
    learned_ = read_off("learned", learned);
    sinusoidal_ = read_off("sinusoidal", sinusoidal);
    for (size_t i = 0; i < count_; ++i) norms_.push_back(analysis::norm(learned[i]));
    to_sinusoidal_ = analysis::fit_linear_map(learned, sinusoidal);
    to_learned_ = analysis::fit_linear_map(sinusoidal, learned);

    write_findings(options, html_, output,
                   {.page = [&] { return page(model_name(model)); },
                    .text =
                        [&](bool color) {
                          return "mean cosine of two positions, by their distance\n" + distance_table().text(color) +
                                 "\n" + bands_sentence() + "\n\nthe best linear map from one table to the other\n" +
                                 maps_table().text(color) + "\n" + maps_sentence() +
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

  // 1, 2, 4, … positions apart.
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
    Table table({{"apart", Align::kRight}, {"learned", Align::kRight}, {"sinusoidal", Align::kRight}});
    for (const size_t distance : distances()) {
      table.add({std::to_string(distance), fixed(learned_.by_distance[distance], 3),
                 fixed(sinusoidal_.by_distance[distance], 3)});
    }
    return table;
  }

  Table maps_table() const {
    Table table({{"from"},
                 {"to"},
                 {"directions", Align::kRight},
                 {"unexplained", Align::kRight},
                 {"by chance", Align::kRight},
                 {"of positions left out", Align::kRight}});
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
    const auto nearest = [&](const Kind& kind, size_t position) {
      std::string text;
      for (const size_t other : analysis::nearest_rows(kind.map, count_, position, kNearest)) {
        text += (text.empty() ? "" : "  ") + std::to_string(other) + " (" +
                fixed(kind.map[position * count_ + other], 2) + ")";
      }
      return text;
    };
    for (const size_t position : samples()) {
      table.add({std::to_string(position), fixed(norms_[position], 3), nearest(learned_, position),
                 nearest(sinusoidal_, position)});
    }
    return table;
  }

  std::string bands_sentence() const {
    const double next = learned_.by_distance[1];
    const double far = learned_.by_distance[count_ / 2];
    const char* seen =
        next - far > 0.3 ? "Positions next to each other have like vectors, those far apart unlike ones: the map's "
                           "diagonal band. "
        : next - far > 0.03
            ? "Positions next to each other are a little more alike than those far apart: the map's band is faint. "
            : "Positions next to each other are no more alike than those far apart: the map has no band. ";
    return std::string(seen) + "The cosine of neighbours is " + fixed(next, 2) + " learned and " +
           fixed(sinusoidal_.by_distance[1], 2) + " sinusoidal; " + std::to_string(count_ / 2) +
           " positions apart it is " + fixed(far, 2) + " and " + fixed(sinusoidal_.by_distance[count_ / 2], 2) + ".";
  }

  std::string maps_sentence() const {
    const double known = 1 - to_learned_.held_out;
    const std::string verdict = known > 0.75   ? "The learned table is close to a linear image of the sinusoidal one"
                                : known > 0.25 ? "The learned table is in part a linear image of the sinusoidal one"
                                               : "The learned table is no linear image of the sinusoidal one";
    return verdict + ": fitted on all other positions, the map foretells " + percent(std::max(0.0, known)) +
           " of a learned vector's variance, and the one back " + percent(std::max(0.0, 1 - to_sinusoidal_.held_out)) +
           " of a sinusoidal one's. (“By chance” is what so many directions would leave unexplained of unrelated "
           "vectors.)";
  }

  std::string nearest_sentence() const {
    return "The nearest other position is a neighbour for " + std::to_string(learned_.neighbours_nearest) + " of the " +
           std::to_string(count_) + " learned positions, and for " + std::to_string(sinusoidal_.neighbours_nearest) +
           " of the sinusoidal ones.";
  }

  std::string json() const {
    JsonObject object;
    if (options.positions != Positions::kOwn) object.string("positions", "absolute");
    object.number("position_count", count_);
    object.number("hidden", width_);
    const auto kind_json = [&](const Kind& kind) {
      JsonObject of_kind;
      of_kind.numbers<double>("cosine_by_distance", kind.by_distance);
      of_kind.number("neighbours_nearest", static_cast<double>(kind.neighbours_nearest) / static_cast<double>(count_));
      std::string& rows = of_kind.member("nearest");
      for (size_t i = 0; i < count_; ++i) {
        rows += i == 0 ? "[[" : ",[";
        std::string row;
        for (const size_t other : analysis::nearest_rows(kind.map, count_, i, kNearest)) {
          row += (row.empty() ? "" : ",") + std::to_string(other);
        }
        rows += row + "]";
      }
      rows += ']';
      return of_kind;
    };
    JsonObject learned = kind_json(learned_);
    learned.numbers<double>("norm", norms_);
    object.member("learned") += learned.take();
    object.member("sinusoidal") += kind_json(sinusoidal_).take();
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
    page.section("Each position with each", bands_sentence());
    page.legend({{Ink::kBlue, "cosine above 0"}, {Ink::kOrange, "below 0; the page's own colour: 0"}});
    page.drawings(
        {{"Learned", draw_square_map({"Cosine of each learned position with each", "position", count_, learned_.map})},
         {"Sinusoidal",
          draw_square_map({"Cosine of each sinusoidal position with each", "position", count_, sinusoidal_.map})}});
    page.section("By distance", "The mean cosine of two positions, by how far they are apart.");
    // The last distances have few pairs each.
    const auto shown = [&](const Kind& kind) {
      return std::vector<double>(kind.by_distance.begin(),
                                 kind.by_distance.begin() + static_cast<ptrdiff_t>(count_ * 3 / 4));
    };
    page.drawing(draw_line_chart(
        {.title = "Mean cosine of two positions by distance",
         .x_axis = "positions apart",
         .y_axis = "mean cosine",
         .lines = {{"learned", Ink::kBlue, shown(learned_)}, {"sinusoidal", Ink::kOrange, shown(sinusoidal_)}}}));
    page.table(distance_table());
    page.section("From one to the other", maps_sentence());
    BarChart bars{.title = "What the best linear map leaves unexplained", .rows = {}};
    const auto add = [&](const char* name, const analysis::LinearFit& fit) {
      const auto row = [&](const char* what, double value, Ink ink) {
        bars.rows.push_back({std::string(name) + what, {{std::min(value, 1.0), ink}}, percent(value, 1)});
      };
      row("", fit.unexplained, Ink::kBlue);
      row(", by chance", fit.by_chance, Ink::kGrey);
      row(", left out", fit.held_out, Ink::kOrange);
    };
    add("to sinusoidal", to_sinusoidal_);
    add("to learned", to_learned_);
    page.legend({{Ink::kBlue, "left unexplained of the positions it was fitted on"},
                 {Ink::kGrey, "by chance"},
                 {Ink::kOrange, "of a position left out of the fit"}});
    page.drawing(draw_bar_chart(bars));
    page.table(maps_table());
    page.section("Nearest positions", nearest_sentence());
    page.table(nearest_table());
    return page;
  }

  std::string html_;
  size_t count_ = 0;
  size_t width_ = 0;
  Kind learned_, sinusoidal_;
  std::vector<double> norms_;  // of the learned vectors
  analysis::LinearFit to_sinusoidal_, to_learned_;
};

}  // namespace

std::unique_ptr<Command> make_positions() { return std::make_unique<PositionTables>(); }

}  // namespace bert::cli
