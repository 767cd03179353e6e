// Shared by the commands of a task, which run texts through the model and print one result per text in input order. A
// command adds its options and makes its task from them. Used by one thread.
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

// Requirements of a command on its model and its input.
struct TaskNeeds {
  std::optional<Head> head = {};  // nullopt: the model reads labels
  bool text = false;              // an item with ids is an error
  bool lone = false;              // an item with a pair is an error
  const char* models = nullptr;   // names of public models; nullptr: well-known models with the head
};

class HeadCommand : public Command {
 protected:
  // Declares the options of model, tokens, output and batches; the command itself declares its input.
  void declare_run(OptionTable& table, const std::string& length_by_default = "what the model says",
                   const std::vector<OutputFormat>& formats = {OutputFormat::kText, OutputFormat::kJson,
                                                               OutputFormat::kJsonl});

  // Declares --expect: the command evaluates the labels that the task finds, and prints no results.
  void declare_expect(OptionTable& table);
  // Throws UsageError for options that --expect does not allow.
  void check_expect(const TaskSettings& settings) const;

  // Runs all texts of the input and writes the results in order, or their evaluation. A failed text's result is its
  // error.
  int run_texts(Input& input, Console& console, const TaskNeeds& needs);

  InterventionOptions interventions_;  // set by commands that declare them

  // Makes the call and checks what the command needs from the model and the options. Called once, before any text.
  virtual TaskCallPtr call(const Model& model) const = 0;
  // Returns the columns of csv, for commands with that format.
  virtual std::vector<std::string> csv_columns() const { return {}; }
};

}  // namespace bert::cli
