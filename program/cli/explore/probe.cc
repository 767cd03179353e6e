// The command probe: computes, over a file of texts and for each layer, the variance of the token vectors that position
// and word explain. Its memory is one batch, and the sums for each position and each word.
#include <memory>
#include <optional>
#include <string>

#include "program/cli/command.h"
#include "program/cli/common.h"
#include "program/cli/explore/drawings.h"
#include "program/cli/explore/probe_experiment.h"
#include "program/cli/explore/report.h"
#include "program/cli/input/file_endings.h"
#include "program/cli/run/run_summary.h"

namespace bert::cli {
namespace {

class Probe : public Command {
 public:
  void declare(OptionTable& table) override {
    declare_input(table, options);
    table.number("--words", words_,
                 "keep sums of the first N words of the file (default: " +
                     std::to_string(VarianceProbe::kDefaultWords) + "); tokens of other words are left out",
                 2);
    declare_report(table, options, drawn_);
    declare_batches(table, options, "512");
  }

  int run(Console& console) override {
    if (options.inputs.empty() && options.texts.size() == 1) {
      options.inputs = {options.texts.front()};
      options.texts.clear();
      settle_input(options);
    }
    if (options.inputs.empty() || !options.texts.empty()) {
      throw UsageError("expected one FILE with one text per line (- is standard input), " +
                       given(options.texts.size() + options.inputs.size()));
    }
    require_separate_files(options, drawn_);
    const std::unique_ptr<Input> input = open_input(options);
    Output output(options.output, Output::Access::kStream);
    const Model model = load_model(options, console);

    RunSummary summary(*input, output, console);
    Sequences sequences(*input, model, EncodeOptions{.hidden_states = true}, model_token_rules(options, model));
    const size_t max_words = words_.value_or(VarianceProbe::kDefaultWords);
    ProbeExperiment experiment(max_words);
    experiment.read(sequences, summary);
    const int status = summary.finish();
    experiment.finish(in_quotes(options.inputs.front()));
    if (const size_t left_out = experiment.left_out_tokens(); left_out > 0) {
      console.note(with_commas(left_out) + (left_out == 1 ? " token" : " tokens") + " of words after the first " +
                   with_commas(max_words) + (left_out == 1 ? " was" : " were") + " left out (--words)");
    }

    model.check_files();
    const std::string positions = replaced_positions(options, model);
    const auto page = [&] {
      Page drawn(
          experiment.findings().title(),
          name_on_page(model) + (positions.empty() ? "" : ", positions: " + positions) + ", " + experiment.texts());
      experiment.findings().add_to(drawn);
      return drawn;
    };
    const auto json = [&] {
      JsonWriter object;
      if (!positions.empty()) object.string("positions", positions);
      experiment.add_json(object);
      return object.take();
    };
    write_report(options, drawn_, output,
                 {.page = page,
                  .text = [&](const TextStyle& style) { return experiment.findings().text(style); },
                  .json = json});
    return status;
  }

 private:
  std::optional<size_t> words_;
  DrawnFiles drawn_;
};

}  // namespace

std::unique_ptr<Command> make_probe() { return std::make_unique<Probe>(); }

}  // namespace bert::cli
