// What a run found in one text, as its outputs stand in the library; Python's methods read them. Immutable but for the
// arrays that are handed to Python once.
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
  // windows: of one text, at least one, or of all items of a task's text. `model` is a Python object of the class
  // Model; output: the task's, of a run with one.
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

// {"text", "replaced": [{"label", "start", "end"}]}; units: of the given text.
nanobind::dict redacted_dict(const RedactedText& redacted, const OffsetUnits& units);

// The class Redactor: texts without the matches of expressions (bert/redact.h).
void bind_redactor(nanobind::module_& module);

// The Python class of this name.
void bind_result(nanobind::module_& module);

}  // namespace bert::python
