// Shared by the commands of a task: texts through the model, one result per text in input order. A command adds its
// options and makes the task of them. Used by one thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bert/task_calls.h"
#include "bert/task_settings.h"
#include "program/cli/command.h"
#include "program/cli/options/intervention_options.h"
#include "program/cli/output/results.h"
#include "program/cli/run/run_summary.h"

namespace bert::cli {

// What a command needs of its model and its input.
struct TaskNeeds {
  std::optional<Head> head = {};  // none: the model reads labels
  bool text = false;              // an item with ids is an error
  bool lone = false;              // an item with a pair is one
  const char* models = nullptr;   // public ones; nullptr: well-known ones with the head
};

class HeadCommand : public Command {
 protected:
  // Model, tokens, output and batches; the command declares its input.
  void declare_run(OptionTable& table, const std::string& length_by_default = "what the model says",
                   const std::vector<OutputFormat>& formats = {OutputFormat::kText, OutputFormat::kJson,
                                                               OutputFormat::kJsonl});

  // --expect: an evaluation of the labels that the task finds, in place of the results.
  void declare_expect(OptionTable& table);
  // Throws UsageError for what does not go with it.
  void check_expect(const TaskSettings& settings) const;

  // Runs all texts of the input and writes the results in order, or their evaluation; the result of a failed text is
  // its error.
  int run_texts(Input& input, Console& console, const TaskNeeds& needs);

  InterventionOptions interventions_;  // of a command that declares them

  // Called once, before any text: checks what the command needs from the model and the options.
  virtual TaskCallPtr call(const Model& model) const = 0;
  // The columns of csv, of a command that has it.
  virtual std::vector<std::string> csv_columns() const { return {}; }
};

}  // namespace bert::cli
