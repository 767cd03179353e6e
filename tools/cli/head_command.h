// What the commands of a head have in common: texts through the model, a text's windows together, one result a text in
// the input's order. A command adds its options and says what it makes of the outputs. Used by one thread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bert/tasks.h"
#include "tools/cli/command.h"
#include "tools/cli/results.h"
#include "tools/cli/run_summary.h"

namespace bert::cli {

// A text, or all windows of one.
struct HeadResult {
  std::vector<Sequence> windows;

  const Sequence& sequence() const { return windows.front(); }
  std::vector<TokenLogits> token_logits() const;
};

class HeadCommand : public Command {
 public:
  explicit HeadCommand(Head head) : head_(head) {}

 protected:
  // Model, tokens, output and batches; the input is the command's own.
  void declare_run(OptionTable& table, const std::string& length_by_default = "what the model says");

  // Runs all texts of the input and writes each result in order; a text with an error has its error in place of one.
  int run_texts(Input& input, Console& console);

  // Called once, before any text: what the command needs of the model, and of how it is asked.
  virtual void begin(const Model&) {}
  virtual void adjust(TokenRules&, const Model&) {}
  virtual LogitsOptions logits_options() const { return {}; }
  // A text's result: as JSON members, and as text for a person, of whole lines.
  virtual void add_members(JsonObject& object, const Model& model, const HeadResult& result) = 0;
  virtual std::string text(const Model& model, const HeadResult& result) = 0;
  // Whether several results each stand under a title in the text for a person, as those of more than a line do.
  virtual bool has_titles() const { return true; }

 private:
  Head head_;
};

}  // namespace bert::cli
