// The command zero-shot: the user's labels for a text, by a classifier of natural language inference.
#include "program/cli/commands/head_command.h"
#include "program/cli/common.h"
#include "program/cli/options/label_options.h"

namespace bert::cli {
namespace {

class ZeroShot : public HeadCommand {
 public:
  void declare(OptionTable& table) override {
    declare_input(table, options, kLoneTextLines);
    table.begin_group("Labels");
    label_options_.declare(table, "candidate labels");
    table.text(
        "--template", template_, "TEXT",
        "the hypothesis for a label, with {} in its place (default: \"" + std::string(kHypothesisTemplate) + "\")");
    table.flag("--multi-label", multi_label_, "several labels may apply: each score stands alone");
    table.number("--top-k", top_k_, kTopKHelp, 1);
    declare_run(table);
    declare_long_text(table, options, {.windows_become = "read together: one result a text"});
    declare_window_scores(table, options);
  }

  int run(Console& console) override {
    check_window_scores(options);
    labels_ = label_options_.labels();
    if (labels_.empty()) throw UsageError("zero-shot needs candidate labels: --labels A,B,…");
    check_template();
    return run_texts(*open_input(options), console,
                     {.head = Head::kSequenceClassification, .text = true, .lone = true});
  }

 protected:
  TaskCallPtr call(const Model& model) const override {
    TaskCallPtr call = zero_shot_call(model, labels_,
                                      {.hypothesis_template = template_,
                                       .multi_label = multi_label_,
                                       .windows = {.scores = options.window_scores},

                                       .top_k = top_k_});
    for (const TextItem& item : call->items({})) check_text(model, *item.pair, "the hypothesis");
    return call;
  }

 private:
  void check_template() const {
    try {
      hypothesis(template_, labels_.front());
    } catch (const Error& error) {
      throw UsageError("--template: " + std::string(error.what()));
    }
  }

  LabelOptions label_options_;
  std::vector<std::string> labels_;
  std::string template_{kHypothesisTemplate};
  bool multi_label_ = false;
  std::optional<size_t> top_k_;
};

}  // namespace

std::unique_ptr<Command> make_zero_shot() { return std::make_unique<ZeroShot>(); }

}  // namespace bert::cli
