// The command classify: the labels of a text or a pair, with their scores.
#include "tools/cli/common.h"
#include "tools/cli/head_command.h"

namespace bert::cli {
namespace {

class Classify : public HeadCommand {
 public:
  Classify() : HeadCommand(Head::kSequenceClassification) {}

  void declare(OptionTable& table) override {
    declare_input(table, options);
    declare_pair(table, options);
    table.begin_group("Labels");
    table.number("--top-k", top_k_, "labels of each result at most (default: all)", 1);
    declare_run(table);
    declare_truncation(table, options);
  }
  int run(Console& console) override { return run_texts(*open_input(options), console); }

 protected:
  void add_members(JsonWriter& object, const Model& model, const HeadResult& result) override {
    append_list(object.member("labels"), labels(model, result), [](std::string& text, const LabelScore& label) {
      JsonWriter one;
      one.string("label", label.label);
      one.number("score", label.score);
      text += one.take();
    });
  }
  // One line: all labels of a text.
  std::string text(const Model& model, const HeadResult& result) override {
    std::string line;
    for (const LabelScore& label : labels(model, result)) {
      line += (line.empty() ? "" : "  ") + one_line(label.label) + " " + fixed(label.score, 6);
    }
    return line + "\n";
  }
  bool has_titles() const override { return false; }

 private:
  std::vector<LabelScore> labels(const Model& model, const HeadResult& result) const {
    std::vector<LabelScore> labels = label_scores(model.config(), result.sequence().logits);
    if (top_k_ && *top_k_ < labels.size()) labels.resize(*top_k_);
    return labels;
  }

  std::optional<size_t> top_k_;
};

}  // namespace

std::unique_ptr<Command> make_classify() { return std::make_unique<Classify>(); }

}  // namespace bert::cli
