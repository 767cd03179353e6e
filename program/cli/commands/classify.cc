// The command classify: prints the labels of a text or a pair with their scores: a classifier's own labels, or the
// user's; with --explain also the scores without each word.
#include "bert/task_json.h"
#include "program/cli/commands/head_command.h"
#include "program/cli/common.h"
#include "program/cli/options/label_options.h"
#include "program/cli/options/task_options.h"
#include "program/cli/output/explained.h"

namespace bert::cli {
namespace {

class Classify : public HeadCommand {
 public:
  void declare(OptionTable& table) override {
    declare_input(table, options);
    declare_pair(table, options);
    table.begin_group("Labels");
    labels_.declare(table, settings_);
    declare_task(table, settings_, {"labels", "long_text", "stride"});
    declare_run(
        table, "what the model says",
        {OutputFormat::kText, OutputFormat::kJson, OutputFormat::kJsonl, OutputFormat::kCsv, OutputFormat::kNpz});
    declare_keep(table, options, {"labels", "label", "score", "explanation"});
    declare_expect(table);
    declare_truncation(table, options);
    declare_long_text(table, options, {.windows_become = "one result for each text"});
    declare_interventions(table, interventions_);
    declare_explain(table, explain_, "for one TEXT, the scores without each word");
  }
  int run(Console& console) override {
    check_explain(options, explain_);
    if (explain_.wanted && options.has_windows()) throw UsageError("--explain is of a whole text, not of windows");
    labels_.set(settings_);
    check_task(settings_, options);
    check_expect(settings_);
    if (explain_.wanted && labels_.given()) {
      throw UsageError("--explain is of a classifier's own labels, not with --labels");
    }
    if (explain_.wanted) return run_explained(console);
    const bool own = !labels_.given();
    return run_texts(
        *open_input(options), console,
        {.head = own ? std::optional(Head::kSequenceClassification) : std::nullopt, .text = !own, .lone = !own});
  }

 protected:
  TaskCallPtr call(const Model& model) const override { return make_call(model, settings_); }

  std::vector<std::string> csv_columns() const override { return {"label", "score"}; }

 private:
  // In text for people, only the best label is explained, or --top-k labels.
  int run_explained(Console& console) {
    require_one_text(options);
    if (options.format == OutputFormat::kCsv) throw UsageError("--explain has no csv; json has all terms");
    Output output = open_report(options);
    const Model model = changed_model(load_model(options, console), interventions_);
    model.require(Head::kSequenceClassification);
    const Sequence sequence = only_sequence(options, model, console);
    std::vector<ExplainedResult> results;
    results.push_back({"", Explanation(explain_labels(model, sequence), settings_.chosen_size("top_k").value_or(1))});
    const Explanation& why = results.front().explanation;
    draw_explanations(explain_.drawn, page_lead(sequence, model), results);
    if (options.format == OutputFormat::kNpz) {
      write_arrays(output, results);
    } else if (options.format == OutputFormat::kText) {
      output.write(why.findings().text(output.style()) + "\n");
    } else {
      const TokenSequence one = model.sequence(sequence.tokens.encoding);
      const SequenceOutput logits = model.logits(Head::kSequenceClassification, {&one, 1}).front();
      const TaskSequence read[] = {{logits, sequence.tokens.encoding}};
      JsonWriter object = begin_result(sequence);
      object.member("labels") += to_json(call(model)->result(read), read[0]);
      object.member("explanation") += why.json();
      add_token_counts(object, sequence);
      output.write(object.take() + "\n");
    }
    model.check_files();
    output.commit();
    return kDone;
  }

  LabelOptions labels_;
  TaskSettings settings_{"classify"};
  ExplainOptions explain_;
};

}  // namespace

std::unique_ptr<Command> make_classify() { return std::make_unique<Classify>(); }

}  // namespace bert::cli
