// The command positions: shows what the model knows about the places of its tokens: from its position table, its
// attention scores, or its configuration alone.
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "program/cli/command.h"
#include "program/cli/common.h"
#include "program/cli/explore/drawings.h"
#include "program/cli/explore/report.h"
#include "program/cli/run/run_summary.h"
#include "program/drawings/findings/position_findings.h"

namespace bert::cli {
namespace {

// Returns layers as results count them, from 1.
std::vector<size_t> numbers_of(std::vector<size_t> layers) {
  for (size_t& layer : layers) ++layer;
  return layers;
}

void add_json(JsonWriter& object, const TablePositions& positions) {
  const SinusoidComparison& comparison = positions.comparison();
  object.number("position_count", positions.count());
  object.number("hidden", positions.width());
  const auto table_json = [&](const PositionSimilarities& of) {
    JsonWriter table;
    table.numbers<double>("cosine_by_distance", of.by_distance);
    table.number("neighbours_nearest",
                 static_cast<double>(of.neighbours_nearest) / static_cast<double>(positions.count()));
    std::string& rows = table.member("nearest");
    for (size_t i = 0; i < positions.count(); ++i) {
      rows += i == 0 ? "[[" : ",[";
      rows += joined(nearest_of(of, i), ",", [](size_t other) { return std::to_string(other); }) + "]";
    }
    rows += ']';
    return table;
  };
  JsonWriter learned = table_json(comparison.learned);
  learned.numbers<double>("norm", comparison.norms);
  object.member("learned") += learned.take();
  object.member("sinusoidal") += table_json(comparison.sinusoidal).take();
  const auto fit_json = [&](const char* name, const LinearFit& fit) {
    JsonWriter of_fit;
    of_fit.number("rank", fit.rank);
    of_fit.number("unexplained", fit.unexplained);
    of_fit.number("by_chance", fit.by_chance);
    of_fit.number("held_out", fit.held_out);
    object.member(name) += of_fit.take();
  };
  fit_json("learned_to_sinusoidal", comparison.learned_to_sinusoidal);
  fit_json("sinusoidal_to_learned", comparison.sinusoidal_to_learned);
}

void add_json(JsonWriter& object, const DistancePositions& positions) {
  object.string("position_embedding_type", positions.config().position_embedding_type);
  object.number("max_position_embeddings", positions.config().max_position_embeddings);
  std::string& rotations = object.member("rotations");
  append_list(rotations, positions.rotations(), [](std::string& text, const Rotation& rotation) {
    JsonWriter one;
    one.string("name", rotation.name);
    one.numbers<size_t>("layers", numbers_of(rotation.layers));
    one.number("theta", rotation.theta);
    one.numbers<float>("frequencies", rotation.frequencies);
    one.numbers<double>("mean_cosine_by_distance", rotation.cosines);
    text += one.take();
  });
  std::string& layers = object.member("layers");
  append_list(layers, positions.parts(), [](std::string& text, const ScorePositions& part) {
    JsonWriter one;
    one.numbers<size_t>("layers", numbers_of(part.layers));
    std::string& window = one.member("window");
    window += part.window ? std::to_string(*part.window) : "null";
    if (!part.slopes.empty()) one.numbers<float>("slopes", part.slopes);
    if (part.bias) {
      const size_t shape[] = {part.bias->heads, 2 * part.bias->farthest + 1};
      one.number("farthest", part.bias->farthest);
      append_tensor(one.member("bias"), part.bias->values, shape);
      if (!part.bias->spread.empty()) append_tensor(one.member("spread"), part.bias->spread, shape);
    }
    text += one.take();
  });
}

class PositionsCommand : public Command {
 public:
  void declare(OptionTable& table) override { declare_report(table, options, drawn_, ReportOf::kModel); }

  int run(Console& console) override {
    require_no_text(options, "positions");
    require_separate_files(options, drawn_);
    Output output(options.output, Output::Access::kStream);
    if (!read_architecture(console)) read_model(console);
    if (found_->empty()) throw InputError("the model has no positions");

    write_report(options, drawn_, output,
                 {.page = [&] { return page(); },
                  .text = [&](const TextStyle& style) { return found_->text(style); },
                  .json = [&] { return json(); }});
    return kDone;
  }

 private:
  // Uses only config.json if there are no weights and it is sufficient.
  bool read_architecture(Console& console) {
    if (options.model.empty() || !options.positions.is_native()) return false;
    const Architecture model = load_architecture(options.model, options.load_options());
    if (model.has_weights || !has_score_formula(model.config)) return false;
    console.note(in_quotes(model.source) + ": no weights; the positions are those of its config.json alone");
    model_ = one_line(name_of_directory(model.source));
    found_.emplace(DistancePositions(model.config, score_positions(model.config)));
    return true;
  }

  void read_model(Console& console) {
    const Model model = load_model(options, console);
    model_ = name_on_page(model);
    kind_ = model.config().described_positions();
    found_.emplace(model);
    model.check_files();
  }

  std::string json() const {
    JsonWriter object;
    if (!options.positions.is_native()) object.string("positions", kind_);
    if (found_->table()) add_json(object, *found_->table());
    if (!found_->distances().empty()) add_json(object, found_->distances());
    return object.take();
  }

  Page page() const {
    Page page(found_->title(), model_ + (found_->table() ? ", " + found_->table()->shape() : ""));
    found_->add_to(page);
    return page;
  }

  DrawnFiles drawn_;
  std::string model_;  // the model's name
  std::string kind_;   // the kind of its positions
  std::optional<PositionFindings> found_;
};

}  // namespace

std::unique_ptr<Command> make_positions() { return std::make_unique<PositionsCommand>(); }

}  // namespace bert::cli
