// The results of a run for one text, in the library's types; Python's methods read them. Immutable, except for arrays
// that are handed to Python once.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <utility>
#include <vector>

#include "bert/offsets.h"
#include "bert/task_calls.h"
#include "bert/text_pipeline.h"

namespace bert::python {

class Result {
 public:
  // windows: at least one window of one text, or those of all items of a task's text. model: a Python object of the
  // class Model. output: the output of the task; nullopt for a run without a task.
  Result(nanobind::object model, std::optional<TaskOutput> output, std::vector<TextResult> windows)
      : model_(std::move(model)), output_(std::move(output)), windows_(std::move(windows)) {}

  const Model& model() const { return nanobind::cast<const Model&>(model_); }
  const std::vector<TextResult>& windows() const { return windows_; }
  const TextResult& first() const { return windows_.front(); }
  TextResult& first() { return windows_.front(); }
  const TaskOutput& output() const;  // throws Error for a run without a task

 private:
  nanobind::object model_;
  std::optional<TaskOutput> output_;
  std::vector<TextResult> windows_;
};

// Returns {"text", "replaced": [{"label", "start", "end"}]}. units: the offset units of the given text.
nanobind::dict redacted_dict(const RedactedText& redacted, const OffsetUnits& units);

// Adds the class Redactor, which removes the matches of expressions from texts (bert/redact.h).
void bind_redactor(nanobind::module_& module);

// Adds the Python class Result.
void bind_result(nanobind::module_& module);

}  // namespace bert::python
