// The command zero-shot: the user's labels for a text, by a classifier of natural language inference.
#include <utility>

#include "tools/cli/commands/head_command.h"
#include "tools/cli/common.h"
#include "tools/cli/options/label_options.h"

namespace bert::cli {
namespace {

// Each text once for each hypothesis, which becomes its pair.
class WithHypotheses : public InputOver {
 public:
  WithHypotheses(Input& texts, const std::vector<std::string>& hypotheses)
      : InputOver(texts), hypotheses_(hypotheses), next_(hypotheses.size()) {}

  State next(Item& item, Wait wait) override {
    if (next_ == hypotheses_.size()) {
      const State state = input_.next(text_, wait);
      if (state != State::kItem) return state;
      if (text_.ids) text_.fail(kNeedsText);
      if (text_.pair) text_.fail(kNeedsNoPair);
      next_ = 0;
    }
    item = text_;
    item.pair = hypotheses_[next_++];
    return State::kItem;
  }

 private:
  const std::vector<std::string>& hypotheses_;
  size_t next_;
  Item text_;
};

class ZeroShot : public HeadCommand {
 public:
  ZeroShot() : HeadCommand(Head::kSequenceClassification) {}

  void declare(OptionTable& table) override {
    declare_input(table, options, kLoneTextLines);
    table.begin_group("Labels");
    label_options_.declare(table, "candidate labels");
    table.text(
        "--template", template_, "TEXT",
        "the hypothesis for a label, with {} in its place (default: \"" + std::string(kHypothesisTemplate) + "\")");
    table.flag("--multi-label", multi_label_, "several labels may apply: each score stands alone");
    table.number("--top-k", top_k_, "labels of each result at most (default: all)", 1);
    declare_run(table);
    declare_long_text(table, options, {.windows_become = "read together: one result a text"});
    declare_window_scores(table, options);
  }

  int run(Console& console) override {
    check_window_scores(options);
    labels_ = label_options_.labels();
    if (labels_.empty()) throw UsageError("zero-shot needs candidate labels: --labels A,B,…");
    for (const std::string& label : labels_) hypotheses_.push_back(hypothesis_for(label));
    const std::unique_ptr<Input> texts = open_input(options);
    WithHypotheses input(*texts, hypotheses_);
    return run_texts(input, console);
  }

 protected:
  size_t items_of_result() const override { return hypotheses_.size(); }
  void begin(const Model& model) override {
    entailment_output(model.config());
    for (const std::string& statement : hypotheses_) check_text(model, statement, "the hypothesis");
  }
  // The text is cut, never the hypothesis.
  void adjust(TokenRules& rules, const Model& model) override {
    if (rules.tokenize.truncation != Truncation::kError) rules.tokenize.truncation = Truncation::kOnlyFirst;
    if (rules.windows) rules.tokenize.pair_tokens = most_tokens(model.tokenizer(), hypotheses_);
  }

  void add_members(JsonWriter& object, const Model& model, const HeadResult& result) override {
    append_scores(object.member("labels"), scores(model, result));
  }
  // One line: all labels of a text.
  std::string text(const Model& model, const HeadResult& result) override {
    return joined(scores(model, result), "  ",
                  [](const LabelScore& label) { return one_line(label.label) + " " + fixed(label.score, 6); }) +
           "\n";
  }
  bool has_titles() const override { return false; }

 private:
  std::string hypothesis_for(const std::string& label) const {
    try {
      return hypothesis(template_, label);
    } catch (const Error& error) {
      throw UsageError("--template: " + std::string(error.what()));
    }
  }

  std::vector<LabelScore> scores(const Model& model, const HeadResult& result) const {
    std::vector<Logits> logits;
    for (const Sequence& sequence : result.windows) logits.push_back(sequence.logits);
    std::vector<LabelScore> all =
        merge_hypotheses(model.config(), labels_, logits, multi_label_, options.window_scores);
    if (top_k_ && *top_k_ < all.size()) all.resize(*top_k_);
    return all;
  }

  LabelOptions label_options_;
  std::vector<std::string> labels_, hypotheses_;
  std::string template_{kHypothesisTemplate};
  bool multi_label_ = false;
  std::optional<size_t> top_k_;
};

}  // namespace

std::unique_ptr<Command> make_zero_shot() { return std::make_unique<ZeroShot>(); }

}  // namespace bert::cli
