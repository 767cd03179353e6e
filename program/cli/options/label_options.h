// The options with which a user names labels: --labels A,B,… and --label.
#pragma once

#include <string>
#include <vector>

#include "bert/task_settings.h"
#include "program/cli/options/options.h"

namespace bert::cli {

class LabelOptions {
 public:
  // help: of --labels.
  void declare(OptionTable& table, const std::string& help);
  // Takes the help of the task's option.
  void declare(OptionTable& table, const TaskSettings& settings);
  bool given() const { return !lists_.empty() || !labels_.empty(); }
  // Returns the labels, those of the lists first. Empty parts of a list and spaces around a label are dropped. Throws
  // UsageError for an empty --label.
  std::vector<std::string> labels() const;
  // Sets the option "labels" of a task, if labels were given. Throws UsageError if none are left.
  void set(TaskSettings& settings) const;

 private:
  std::vector<std::string> lists_, labels_;
};

}  // namespace bert::cli
