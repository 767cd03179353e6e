// The command next-sentence: whether the second of two texts follows the first, as in BERT's training task.
#include "tools/cli/commands/head_command.h"
#include "tools/cli/common.h"

namespace bert::cli {
namespace {

class NextSentence : public HeadCommand {
 public:
  NextSentence() : HeadCommand(Head::kNextSentence) {}

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
    return run_texts(input, console);
  }

 protected:
  void add_members(JsonWriter& object, const Model&, const HeadResult& result) override {
    object.number("is_next", is_next(result));
  }
  std::string text(const Model&, const HeadResult& result) override { return fixed(is_next(result), 6) + "\n"; }
  bool has_titles() const override { return false; }

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

  static double is_next(const HeadResult& result) { return softmax(result.sequence().logits.values)[0]; }
};

}  // namespace

std::unique_ptr<Command> make_next_sentence() { return std::make_unique<NextSentence>(); }

}  // namespace bert::cli
