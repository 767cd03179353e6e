// The command report: what explain, positions, order, attention and probe say about one model, as questions with short
// answers; the page has their drawings too.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bert/explore.h"
#include "tools/cli/command.h"
#include "tools/cli/common.h"
#include "tools/cli/explore/drawings.h"
#include "tools/cli/explore/probe_experiment.h"
#include "tools/cli/explore/report.h"
#include "tools/cli/explore/text_experiment.h"
#include "tools/cli/run_summary.h"
#include "tools/cli/sample_texts.h"
#include "tools/drawings/distance_positions.h"
#include "tools/drawings/table_positions.h"

namespace bert::cli {
namespace {

struct Chapter {
  std::string question;
  std::string answer;
  std::function<void(Page&)> add_to;
};

class ReportCommand : public Command {
 public:
  void declare(OptionTable& table) override {
    declare_one_text(table, options);
    table.text("--texts", texts_, "FILE",
               "the texts, one per line, on which the last question is measured (default: a hundred English sentences "
               "of the program's own)");
    declare_report(table, options, drawn_);
  }

  int run(Console& console) override {
    require_one_text(options);
    require_separate_files(options, drawn_);
    const std::unique_ptr<Input> texts = open_texts();
    Output output(options.output, Output::Access::kStream);
    const Model model = load_model(options, console);
    const Sequence sequence = only_sequence(options, model, drawn_, console);

    add(make_explain_experiment(), "What goes into a token?", model, sequence, console);
    if (model.config().position_embedding_type != "none") {
      add_positions(model);
      add(make_order_experiment(), "Does the order of the tokens matter?", model, sequence, console);
    }
    if (model.config().attention_layers() > 0) {
      add(make_attention_experiment(), "What do the heads attend to?", model, sequence, console);
    }
    const int status = add_probe(model, *texts, output, console);

    model.check_files();
    write_report(options, drawn_, output,
                 {.page = [&] { return page(page_lead(sequence, model)); },
                  .text = [&](const TextStyle&) { return text(); },
                  .json = [&] { return json(model); }});
    return status;
  }

 private:
  std::unique_ptr<Input> open_texts() const {
    Options of_texts = options;
    of_texts.texts.clear();
    of_texts.inputs.clear();
    if (texts_.empty()) {
      of_texts.texts.assign(sample_texts().begin(), sample_texts().end());
    } else {
      of_texts.inputs = {texts_};
    }
    return open_input(of_texts);
  }

  void add(const std::shared_ptr<TextExperiment>& experiment, const std::string& question, const Model& model,
           const Sequence& sequence, Console& console) {
    experiment->options = options;
    const Findings& findings = experiment->examine(model, sequence, console);
    chapters_.push_back({question, findings.answer(), [experiment, &findings](Page& page) { findings.add_to(page); }});
  }

  void add_positions(const Model& model) {
    if (has_position_table(model)) {
      const auto table = std::make_shared<TablePositions>(position_table(model));
      chapters_.push_back({"How do the learned positions compare with sinusoidal ones?", table->answer(),
                           [table](Page& page) { table->add_to(page); }});
    }
    const auto distances = std::make_shared<DistancePositions>(model.config(), score_positions(model));
    if (distances->empty()) return;
    chapters_.push_back({"How does the distance of two tokens change their attention score?", distances->answer(),
                         [distances](Page& page) { distances->add_to(page); }});
  }

  int add_probe(const Model& model, Input& input, const Output& output, Console& console) {
    RunSummary summary(input, output, console);
    Sequences sequences(input, model, EncodeOptions{.hidden_states = true}, model_token_rules(options, model));
    const auto probe = std::make_shared<ProbeExperiment>();
    probe->read(sequences, summary);
    const int status = summary.finish();
    const std::string source = texts_.empty() ? "the program's own texts" : in_quotes(texts_);
    probe->finish(source);
    chapters_.push_back(
        {"Do later layers still have the position?", probe->findings().answer(), [probe, source](Page& page) {
           probe->findings().add_to(page);
           page.note("Measured on " + source + ": " + probe->texts() + ".");
         }});
    return status;
  }

  Page page(const std::string& lead) const {
    Page page("How a model represents words and their order", lead);
    for (const Chapter& chapter : chapters_) {
      page.chapter(chapter.question, chapter.answer);
      chapter.add_to(page);
    }
    return page;
  }

  std::string text() const {
    std::string text;
    for (const Chapter& chapter : chapters_) {
      text += (text.empty() ? "" : "\n\n") + chapter.question + "\n" + chapter.answer;
    }
    return text;
  }

  std::string json(const Model& model) const {
    JsonWriter object;
    object.string("model", name_on_page(model));
    std::string& list = object.member("questions");
    for (const Chapter& chapter : chapters_) {
      JsonWriter one;
      one.string("question", chapter.question);
      one.string("answer", chapter.answer);
      list += (&chapter == &chapters_.front() ? "[" : ",") + one.take();
    }
    list += ']';
    return object.take();
  }

  DrawnFiles drawn_;
  std::string texts_;
  std::vector<Chapter> chapters_;
};

}  // namespace

std::unique_ptr<Command> make_report() { return std::make_unique<ReportCommand>(); }

}  // namespace bert::cli
