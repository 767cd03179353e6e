// The command zero-shot: scores the user's labels for a text, by a classifier of natural language inference.
#include "program/cli/commands/head_command.h"
#include "program/cli/common.h"
#include "program/cli/options/label_options.h"
#include "program/cli/options/task_options.h"

namespace bert::cli {
namespace {

class ZeroShot : public HeadCommand {
 public:
  void declare(OptionTable& table) override {
    declare_input(table, options, kLoneTextLines);
    table.begin_group("Labels");
    labels_.declare(table, settings_);
    declare_task(table, settings_, {"labels", "long_text", "stride"});
    declare_expect(table);
    declare_run(table);
    declare_long_text(table, options, {.windows_become = "one result for each text"});
  }

  int run(Console& console) override {
    if (labels_.labels().empty()) throw UsageError("zero-shot needs candidate labels: --labels A,B,…");
    labels_.set(settings_);
    check_task(settings_, options);
    check_expect(settings_);
    check_template();
    return run_texts(
        *open_input(options), console,
        {.head = Head::kSequenceClassification,
         .text = true,
         .lone = true,
         .models = "cross-encoder/nli-MiniLM2-L6-H768 and MoritzLaurer/xtremedistil-l6-h256-zeroshot-v1.1-all-33"});
  }

 protected:
  TaskCallPtr call(const Model& model) const override {
    TaskCallPtr call = make_call(model, settings_);
    for (const TextItem& item : call->items({})) check_text(model, *item.pair, "the hypothesis");
    return call;
  }

 private:
  void check_template() const {
    try {
      hypothesis(settings_.text("hypothesis_template"), "");
    } catch (const Error& error) {
      throw UsageError("--template: " + std::string(error.what()));
    }
  }

  LabelOptions labels_;
  TaskSettings settings_{"zero_shot"};
};

}  // namespace

std::unique_ptr<Command> make_zero_shot() { return std::make_unique<ZeroShot>(); }

}  // namespace bert::cli
