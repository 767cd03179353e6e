// The command answer: the span of a context that answers a question. Long contexts are split into windows.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tools/cli/commands/head_command.h"
#include "tools/cli/common.h"

namespace bert::cli {
namespace {

constexpr size_t kWindowTokens = 384;  // as in the reference's pipeline; its stride is half of it, at most 128
constexpr size_t kMaxStride = 128;
constexpr const char* kNeedsContext =
    "answer needs a context: --context, or in --jsonl a \"pair\" next to the \"text\"";

// Questions without a context get the one of --context.
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
  AnswerCommand() : HeadCommand(Head::kQuestionAnswering) {}

  void declare(OptionTable& table) override {
    declare_input(table, options, kTextLines);
    table.text("--context", context_, "TEXT|FILE",
               "where the answer is sought: a file of this name, else the text itself");
    table.begin_group("Answers");
    table.number("--top-k", top_k_, "answers of each question (default: 1)", 1);
    table.number("--max-answer-tokens", max_tokens_, "the longest answer (default: 15)", 1);
    table.flag("--no-answer", settings_.no_answer, "\"\" may be the best answer");
    table.flag("--any-piece", any_piece_, "an answer may begin and end inside of a word");
    declare_run(table, std::to_string(kWindowTokens) + ", or what the model says where that is less");
    declare_long_text(table, options,
                      {.windows_become = "read together: one result a question",
                       .by_default = LongText::kWindows,
                       .stride = "128, or half a window"});
    declare_offsets(table, options);
  }

  int run(Console& console) override {
    settings_.top_k = top_k_.value_or(settings_.top_k);
    settings_.max_answer_tokens = max_tokens_.value_or(settings_.max_answer_tokens);
    settings_.align_to_words = !any_piece_;
    if (context_.empty() && !options.has_records()) throw UsageError(kNeedsContext);
    const std::unique_ptr<Input> questions = open_input(options);
    if (!context_.empty()) context_text_ = read_context(console);
    WithContext input(*questions, context_text_);
    return run_texts(input, console);
  }

 protected:
  void begin(const Model& model) override {
    if (context_text_) check_text(model, *context_text_, "--context");
  }
  void adjust(TokenRules& rules, const Model& model) override {
    rules.no_ids = kNeedsText;
    if (rules.tokenize.truncation != Truncation::kError) rules.tokenize.truncation = Truncation::kOnlySecond;
    if (rules.windows && !options.max_length) rules.tokenize.max_length = std::min(kWindowTokens, model.max_length());
    if (!options.stride) rules.tokenize.stride = kMaxStride;
  }

  void add_members(JsonWriter& object, const Model&, const HeadResult& result) override {
    const OffsetUnits* units = units_of(result);
    append_list(object.member("answers"), answers(result), [&](std::string& text, const Answer& answer) {
      JsonWriter one;
      one.string("answer", answer.answer);
      one.number("score", answer.score);
      add_place(one, {answer.start, answer.end}, {answer.code_point_start, answer.code_point_end}, units);
      text += one.take();
    });
    add_offset_unit(object, result.sequence());
  }
  std::string text(const Model&, const HeadResult& result) override {
    const std::vector<Answer> found = answers(result);
    if (found.empty()) return "no answer\n";
    Table table({{"score", Align::kRight}, {"answer"}, {"start", Align::kRight}, {"end", Align::kRight}});
    const OffsetUnits* units = units_of(result);
    for (const Answer& answer : found) {
      table.add({fixed(answer.score, 6), one_line(answer.answer), place_text(answer.start, units),
                 place_text(answer.end, units)});
    }
    return table.text({});
  }

 private:
  static const OffsetUnits* units_of(const HeadResult& result) {
    const auto& units = result.sequence().units;
    return units == nullptr ? nullptr : &units->of_pair();
  }

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

  std::vector<Answer> answers(const HeadResult& result) const {
    return find_answers(result.sequence().pair, result.token_logits(), settings_);
  }

  std::string context_;                      // as given
  std::optional<std::string> context_text_;  // the text, or the contents of its file
  std::optional<size_t> top_k_, max_tokens_;
  bool any_piece_ = false;
  AnswerOptions settings_;
};

}  // namespace

std::unique_ptr<Command> make_answer() { return std::make_unique<AnswerCommand>(); }

}  // namespace bert::cli
