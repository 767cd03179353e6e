// The command answer: finds the span of a context that answers a question. Long contexts are split into windows.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "program/cli/commands/head_command.h"
#include "program/cli/common.h"
#include "program/cli/options/task_options.h"

namespace bert::cli {
namespace {

constexpr const char* kNeedsContext =
    "answer needs a context: --context, or in --jsonl a \"pair\" next to the \"text\"";

// Gives questions without a context the one of --context.
class WithContext : public InputOver {
 public:
  WithContext(Input& questions, const std::optional<std::string>& context) : InputOver(questions), context_(context) {}

  State next(Item& item, Wait wait) override {
    const State state = input_.next(item, wait);
    if (state != State::kItem || item.error) return state;
    if (item.pair.has_value()) {
      some_bring_one_ = true;
      return state;
    }
    is_used_ = true;
    item.pair = context_;
    if (!context_) item.fail(kNeedsContext);
    return state;
  }

  std::string remark() const override {
    const std::string of_input = InputOver::remark();
    if (!context_ || is_used_ || !some_bring_one_) return of_input;
    return (of_input.empty() ? "" : of_input + "; ") + "--context is not used: every question brings its own";
  }

 private:
  const std::optional<std::string>& context_;
  bool is_used_ = false, some_bring_one_ = false;
};

class AnswerCommand : public HeadCommand {
 public:
  void declare(OptionTable& table) override {
    declare_input(table, options, kTextLines);
    table.text("--context", context_, "TEXT|FILE",
               "where the answer is sought: a file of this name, else the text itself");
    table.begin_group("Answers");
    declare_task(table, settings_, {"align_to_words", "long_text", "stride", "window_tokens"});
    table.flag("--any-piece", any_piece_, "an answer may begin and end inside of a word");
    declare_run(table, std::to_string(kAnswerTokens) + ", or what the model says where that is less");
    declare_long_text(table, options,
                      {.windows_become = "one result for each question",
                       .by_default = LongText::kWindows,
                       .stride = "128, or half a window"});
    declare_offsets(table, options);
  }

  int run(Console& console) override {
    settings_.set("align_to_words", !any_piece_);
    if (options.max_length) settings_.set("window_tokens", *options.max_length);
    if (context_.empty() && !options.has_records()) throw UsageError(kNeedsContext);
    const std::unique_ptr<Input> questions = open_input(options);
    if (!context_.empty()) context_text_ = read_context(console);
    WithContext input(*questions, context_text_);
    return run_texts(input, console, {.head = Head::kQuestionAnswering, .text = true});
  }

 protected:
  TaskCallPtr call(const Model& model) const override {
    if (context_text_) check_text(model, *context_text_, "--context");
    return make_call(model, settings_);
  }

 private:
  std::string read_context(Console& console) const {
    std::error_code no;
    if (std::filesystem::is_directory(context_, no)) {
      throw InputError("--context " + in_quotes(context_) + " is a directory, expected a file or the text itself");
    }
    if (!std::filesystem::is_regular_file(context_, no)) {
      if (context_.find(' ') == std::string::npos) {
        console.note("there is no file " + one_line(context_) + ": --context is taken as the text itself");
      }
      return context_;
    }
    std::ifstream file(context_, std::ios::binary);
    std::string content((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (file.bad() || !file.is_open()) throw InputError("cannot read " + in_quotes(context_));
    return content;
  }

  std::string context_;                      // as given: a text or a file
  std::optional<std::string> context_text_;  // the text, or the contents of its file
  bool any_piece_ = false;
  TaskSettings settings_{"answer"};
};

}  // namespace

std::unique_ptr<Command> make_answer() { return std::make_unique<AnswerCommand>(); }

}  // namespace bert::cli
