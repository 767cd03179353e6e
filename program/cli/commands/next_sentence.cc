// The command next-sentence: whether the second of two texts follows the first, as in BERT's training task.
#include "program/cli/commands/head_command.h"
#include "program/cli/common.h"

namespace bert::cli {
namespace {

class NextSentence : public HeadCommand {
 public:
  void declare(OptionTable& table) override {
    declare_input(table, options);
    declare_run(table);
    declare_truncation(table, options);
    declare_long_text(table, options);
  }

  int run(Console& console) override {
    if (options.inputs.empty() ? options.texts.size() != 2 : !options.has_records()) {
      throw UsageError("next-sentence takes two TEXTs, or --input FILE --jsonl with {\"text\", \"pair\"} a line");
    }
    const std::unique_ptr<Input> pairs = open_input(with_second_text_as_pair(options));
    Pairs input(*pairs);
    return run_texts(input, console, {.head = Head::kNextSentence});
  }

 protected:
  TaskCallPtr call(const Model& model) const override { return next_sentence_call(model); }

 private:
  class Pairs : public InputOver {
   public:
    using InputOver::InputOver;
    State next(Item& item, Wait wait) override {
      const State state = input_.next(item, wait);
      if (state != State::kItem) return state;
      if (!item.ids && !item.pair) item.fail("next-sentence needs a \"pair\" next to the \"text\"");
      return state;
    }
  };
};

}  // namespace

std::unique_ptr<Command> make_next_sentence() { return std::make_unique<NextSentence>(); }

}  // namespace bert::cli
