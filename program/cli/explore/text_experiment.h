// A research command about one text or pair: explain, attention, order, segments. By itself it writes its own report;
// the command report combines several. Used by one thread.
#pragma once

#include <memory>
#include <string>

#include "bert/model.h"
#include "program/cli/command.h"
#include "program/cli/common.h"
#include "program/cli/explore/drawings.h"
#include "program/cli/explore/report.h"
#include "program/cli/input/sequences.h"
#include "program/cli/options/options.h"
#include "program/cli/output/console.h"

namespace bert::cli {

class TextExperiment : public Command {
 public:
  int run(Console& console) override;

  // Computes the findings, which are a view of this object.
  const Findings& examine(const Model& model, const Sequence& sequence, Console& console);

 protected:
  // Declares the options that all of these commands have.
  void declare_text_report(OptionTable& table, const std::vector<OutputFormat>& formats = kReportFormats);

  // Throws InputError for a text that does not fit the options; by default, for too many tokens to draw.
  virtual void check(const Sequence& sequence) const;
  // Computes the numbers, which stay in this object, and returns the findings, which are a view of them.
  virtual std::unique_ptr<Findings> compute(const Model& model, const Sequence& sequence, Console& console) = 0;
  virtual std::string json(const Sequence& sequence, const Model& model) const = 0;
  // Returns the arrays of an experiment that declares npz.
  virtual std::vector<Array> arrays(const Sequence&, const Model&) const { return {}; }

  DrawnFiles drawn_;

 private:
  std::unique_ptr<Findings> findings_;
};

std::unique_ptr<TextExperiment> make_explain_experiment();
std::unique_ptr<TextExperiment> make_attention_experiment();
std::unique_ptr<TextExperiment> make_order_experiment();
std::unique_ptr<TextExperiment> make_segments_experiment();

}  // namespace bert::cli
