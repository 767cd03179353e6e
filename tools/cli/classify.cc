// The command classify: the labels of a text or a pair, with their scores; with --explain also those without each word.
#include "tools/cli/common.h"
#include "tools/cli/explained.h"
#include "tools/cli/head_command.h"

namespace bert::cli {
namespace {

class Classify : public HeadCommand {
 public:
  Classify() : HeadCommand(Head::kSequenceClassification) {}

  void declare(OptionTable& table) override {
    declare_input(table, options);
    declare_pair(table, options);
    table.begin_group("Labels");
    table.number("--top-k", top_k_, "labels of each result at most (default: all)", 1);
    declare_run(table, "what the model says",
                {OutputFormat::kText, OutputFormat::kJson, OutputFormat::kJsonl, OutputFormat::kNpz});
    declare_truncation(table, options);
    declare_interventions(table, interventions_);
    declare_explain(table, explain_, "of one TEXT: what the scores are without each word");
  }
  int run(Console& console) override {
    check_explain(options, explain_);
    return explain_.wanted ? run_explained(console) : run_texts(*open_input(options), console);
  }

 protected:
  void add_members(JsonWriter& object, const Model& model, const HeadResult& result) override {
    add_labels(object, labels(model, result.sequence().logits));
  }
  // One line: all labels of a text.
  std::string text(const Model& model, const HeadResult& result) override {
    std::string line;
    for (const LabelScore& label : labels(model, result.sequence().logits)) {
      line += (line.empty() ? "" : "  ") + one_line(label.label) + " " + fixed(label.score, 6);
    }
    return line + "\n";
  }
  bool has_titles() const override { return false; }

 private:
  // People see the label with the highest score, or --top-k.
  int run_explained(Console& console) {
    require_one_text(options);
    Output output = open_report(options);
    const Model model = load_model(options, console);
    model.require(Head::kSequenceClassification);
    const std::optional<InterventionScope> changes = begin_interventions(interventions_, model);
    const Sequence sequence = only_sequence(options, model, console);
    std::vector<ExplainedResult> results;
    results.push_back({"", Explanation(explain_labels(model, sequence), top_k_.value_or(1))});
    const Explanation& why = results.front().explanation;
    draw_explanations(explain_.drawn, page_lead(sequence, model), results);
    if (options.format == OutputFormat::kNpz) {
      write_arrays(output, results);
    } else if (options.format == OutputFormat::kText) {
      output.write(why.findings().text(output.style()) + "\n");
    } else {
      const TokenSequence one = model.sequence(sequence.encoding);
      JsonWriter object = begin_result(sequence);
      add_labels(object, labels(model, model.logits(Head::kSequenceClassification, {&one, 1}).front()));
      object.member("explanation") += why.json();
      add_token_counts(object, sequence);
      output.write(object.take() + "\n");
    }
    model.check_files();
    output.commit();
    return kDone;
  }

  static void add_labels(JsonWriter& object, const std::vector<LabelScore>& labels) {
    append_list(object.member("labels"), labels, [](std::string& text, const LabelScore& label) {
      JsonWriter one;
      one.string("label", label.label);
      one.number("score", label.score);
      text += one.take();
    });
  }

  std::vector<LabelScore> labels(const Model& model, const Logits& logits) const {
    std::vector<LabelScore> labels = label_scores(model.config(), logits);
    if (top_k_ && *top_k_ < labels.size()) labels.resize(*top_k_);
    return labels;
  }

  std::optional<size_t> top_k_;
  ExplainOptions explain_;
};

}  // namespace

std::unique_ptr<Command> make_classify() { return std::make_unique<Classify>(); }

}  // namespace bert::cli
