// The command tag: finds names, places and other entities in a text: those that a token classifier was trained to find,
// or those with the user's labels.
#include "program/cli/commands/head_command.h"
#include "program/cli/common.h"
#include "program/cli/options/label_options.h"
#include "program/cli/options/task_options.h"

namespace bert::cli {
namespace {

class Tag : public HeadCommand {
 public:
  void declare(OptionTable& table) override {
    options.words = true;
    declare_input(table, options, kTextOrWordsLines);
    table.begin_group("Entities");
    labels_.declare(table, settings_);
    declare_task(table, settings_, {"labels", "long_text", "stride"});
    table.number(
        "--max-words", options.max_words,
        "with --labels and a GLiNER model, the largest number of words read of a text (default: the model's max_len)",
        1);
    table.number(
        "--max-width", options.max_width,
        "with --labels and a GLiNER model, the largest number of words in an entity (default: the model's max_width)",
        1);
    declare_run(table, "what the model says",
                {OutputFormat::kText, OutputFormat::kJson, OutputFormat::kJsonl, OutputFormat::kCsv});
    declare_keep(table, options, {"entities", "words", "offset_unit", "entity", "score", "word", "start", "end"});
    declare_truncation(table, options);
    declare_long_text(table, options, {.windows_become = "one result for each text", .by_default = LongText::kWindows});
    declare_offsets(table, options);
  }
  int run(Console& console) override {
    labels_.set(settings_);
    check_task(settings_, options);
    // An entity is a span of the text, so the text must be given, not ids.
    TaskNeeds needs{.text = true, .lone = true};
    if (!labels_.given()) needs.head = Head::kTokenClassification;
    return run_texts(*open_input(options), console, needs);
  }

 protected:
  TaskCallPtr call(const Model& model) const override { return make_call(model, settings_); }

  std::vector<std::string> csv_columns() const override { return {"entity", "score", "word", "start", "end"}; }

 private:
  LabelOptions labels_;
  TaskSettings settings_{"tag"};
};

}  // namespace

std::unique_ptr<Command> make_tag() { return std::make_unique<Tag>(); }

}  // namespace bert::cli
