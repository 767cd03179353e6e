// The command positions: what the model knows about the places of its tokens, from its position table, its attention
// scores, or its configuration alone.
#include <memory>
#include <optional>
#include <string>

#include "tools/cli/command.h"
#include "tools/cli/common.h"
#include "tools/cli/explore/distance_positions.h"
#include "tools/cli/explore/drawings.h"
#include "tools/cli/explore/report.h"
#include "tools/cli/explore/table_positions.h"
#include "tools/cli/run_summary.h"

namespace bert::cli {
namespace {

class PositionsCommand : public Command {
 public:
  void declare(OptionTable& table) override { declare_report(table, options, drawn_, ReportOf::kModel); }

  int run(Console& console) override {
    require_no_text(options, "positions");
    require_separate_files(options, drawn_);
    Output output(options.output, Output::Access::kStream);
    if (!read_architecture(console)) read_model(console);
    if (!table_ && distances_->empty()) throw InputError("the model has no positions");

    write_report(options, drawn_, output,
                 {.page = [&] { return page(); },
                  .text = [&](const TextStyle& style) { return text(style); },
                  .json = [&] { return json(); }});
    return kDone;
  }

 private:
  // From config.json alone if there are no weights and it is enough.
  bool read_architecture(Console& console) {
    if (options.model.empty() || !options.positions.is_native()) return false;
    const Architecture model = load_architecture(options.model, options.load_options());
    if (model.has_weights || !has_score_formula(model.config)) return false;
    console.note(in_quotes(model.source) + ": no weights; the positions are those of its config.json alone");
    model_ = one_line(name_of_directory(model.source));
    distances_.emplace(model.config, score_positions(model.config));
    return true;
  }

  void read_model(Console& console) {
    const Model model = load_model(options, console);
    model_ = name_on_page(model);
    kind_ = model.config().described_positions();
    distances_.emplace(model.config(), score_positions(model));
    if (has_position_table(model)) table_.emplace(position_table(model));
    model.check_files();
  }

  std::string text(const TextStyle& style) const {
    if (!table_) return distances_->text(style);
    return table_->text(style) + (distances_->empty() ? "" : "\n\n" + distances_->text(style));
  }

  std::string json() const {
    JsonWriter object;
    if (!options.positions.is_native()) object.string("positions", kind_);
    if (table_) table_->add_json(object);
    if (!distances_->empty()) distances_->add_json(object);
    return object.take();
  }

  Page page() const {
    Page page(distances_->empty() ? "Learned and sinusoidal positions" : "Positions",
              model_ + (table_ ? ", " + table_->shape() : ""));
    if (table_) table_->add_to(page);
    if (!distances_->empty()) distances_->add_to(page);
    return page;
  }

  DrawnFiles drawn_;
  std::string model_;  // its name
  std::string kind_;   // of its positions
  std::optional<TablePositions> table_;
  std::optional<DistancePositions> distances_;
};

}  // namespace

std::unique_ptr<Command> make_positions() { return std::make_unique<PositionsCommand>(); }

}  // namespace bert::cli
