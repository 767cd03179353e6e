// Shared by the commands of a head: texts through the model, all windows of a text together, one result per text in
// input order. A command adds its options and converts the outputs. Used by one thread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bert/tasks.h"
#include "bert/windows.h"
#include "tools/cli/command.h"
#include "tools/cli/options/intervention_options.h"
#include "tools/cli/output/results.h"
#include "tools/cli/run/run_summary.h"

namespace bert::cli {

// A text, all windows of one, or the items that its result is made of.
struct HeadResult {
  std::vector<Sequence> windows;

  const Sequence& sequence() const { return windows.front(); }
  std::vector<TokenLogits> token_logits() const;
  std::vector<WindowEntities> window_entities() const;
};

class HeadCommand : public Command {
 public:
  explicit HeadCommand(Head head) : head_(head) {}

 protected:
  // Model, tokens, output and batches; the command declares its input.
  void declare_run(OptionTable& table, const std::string& length_by_default = "what the model says",
                   const std::vector<OutputFormat>& formats = {OutputFormat::kText, OutputFormat::kJson,
                                                               OutputFormat::kJsonl});

  // Runs all texts of the input and writes the results in order; the result of a failed text is its error.
  int run_texts(Input& input, Console& console);

  InterventionOptions interventions_;  // of a command that declares them

  // The items of the input that one result is made of, one after the other.
  virtual size_t items_of_result() const { return 1; }
  // Called once, before any text: checks what the command needs from the model and the options.
  virtual void begin(const Model&) {}
  virtual void adjust(TokenRules&, const Model&) {}
  virtual LogitsOptions logits_options() const { return {}; }
  // What is computed for each text; the head's logits, unless the command has another way to its result.
  virtual TextTask task() const { return HeadOptions{head_, logits_options()}; }
  // Throws Error for a text without what the command looks for.
  virtual void check(const Model&, const HeadResult&) const {}
  // A text's result: as JSON members, and as whole lines for people.
  virtual void add_members(JsonWriter& object, const Model& model, const HeadResult& result) = 0;
  virtual std::string text(const Model& model, const HeadResult& result) = 0;
  // For csv, of a command that has it: its columns, and the rows of a result.
  virtual std::vector<std::string> csv_columns() const { return {}; }
  virtual std::vector<std::vector<std::string>> csv_rows(const Model&, const HeadResult&) { return {}; }
  // Whether each of several results has a title in the text for people, as results longer than a line do.
  virtual bool has_titles() const { return true; }

 private:
  Head head_;
};

}  // namespace bert::cli
