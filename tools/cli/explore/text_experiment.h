// A research command about one text: explain, attention, order. Alone it writes a report of its own; the command report
// combines several. Used by one thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bert/model.h"
#include "tools/cli/command.h"
#include "tools/cli/common.h"
#include "tools/cli/console.h"
#include "tools/cli/explore/drawings.h"
#include "tools/cli/explore/report.h"
#include "tools/cli/options.h"
#include "tools/cli/sequences.h"

namespace bert::cli {

class TextExperiment : public Command {
 public:
  int run(Console& console) override;

  // Computes what the following functions report.
  void examine(const Model& model, const Sequence& sequence, Console& console);
  virtual std::string answer() const = 0;  // one sentence, to the question of the command report
  virtual void add_to(Page& page) const = 0;

 protected:
  // The options that all have.
  void declare_text_report(OptionTable& table);

  virtual void compute(const Model& model, const Sequence& sequence, Console& console) = 0;
  virtual std::string title() const = 0;  // of the page
  virtual std::string text(const TextStyle& style) const = 0;
  virtual std::string json(const Sequence& sequence, const Model& model) const = 0;

  std::vector<std::string> tokens_;  // their labels
  DrawnFiles drawn_;
};

std::unique_ptr<TextExperiment> make_explain_experiment();
std::unique_ptr<TextExperiment> make_attention_experiment();
std::unique_ptr<TextExperiment> make_order_experiment();

}  // namespace bert::cli
