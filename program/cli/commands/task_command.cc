// The command of a task that needs nothing besides its description (bert/task_settings.h).
#include "program/cli/commands/head_command.h"
#include "program/cli/common.h"
#include "program/cli/options/task_options.h"

namespace bert::cli {
namespace {

// An input in which each item must be a pair.
class Pairs : public InputOver {
 public:
  Pairs(Input& input, const std::string& command) : InputOver(input), command_(command) {}

  State next(Item& item, Wait wait) override {
    const State state = input_.next(item, wait);
    if (state != State::kItem) return state;
    if (!item.ids && !item.pair) item.fail(command_ + " needs a \"pair\" next to the \"text\"");
    return state;
  }

 private:
  const std::string& command_;
};

class TaskCommand : public HeadCommand {
 public:
  explicit TaskCommand(const char* task) : settings_(task), name_(command_name(task)) {}

  void declare(OptionTable& table) override {
    declare_input(table, options, reads_pairs() ? kTextOrIdsLines : kLoneTextLines);
    table.begin_group("Task");
    declare_task(table, settings_, {"long_text", "stride"});
    declare_run(table);
    if (reads_pairs()) declare_truncation(table, options);
    declare_long_text(table, options);
  }

  int run(Console& console) override {
    check_task(settings_, options);
    if (!reads_pairs()) return run_texts(*open_input(options), console, {.text = true, .lone = true});
    if (options.inputs.empty() ? options.texts.size() != 2 : !options.has_records()) {
      throw UsageError(name_ + " takes two TEXTs, or --input FILE --jsonl with {\"text\", \"pair\"} a line");
    }
    const std::unique_ptr<Input> pairs = open_input(with_second_text_as_pair(options));
    Pairs input(*pairs, name_);
    return run_texts(input, console, {});
  }

 protected:
  TaskCallPtr call(const Model& model) const override { return make_call(model, settings_); }

 private:
  bool reads_pairs() const { return settings_.task().reads == TaskInput::kPair; }

  TaskSettings settings_;
  const std::string name_;
};

}  // namespace

std::unique_ptr<Command> make_task_command(const char* task) { return std::make_unique<TaskCommand>(task); }

}  // namespace bert::cli
