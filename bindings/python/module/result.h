// What a run found in one text, as its outputs stand in the library; Python's methods read them. Immutable but for the
// arrays that are handed to Python once.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <vector>

#include "bert/task_calls.h"
#include "bert/text_pipeline.h"

namespace bert::python {

class Result {
 public:
  // windows: of one text, at least one, or of all items of a call's input. `model` is a Python object of the class
  // Model; call: of this model, null for a run without one; query: the call's, null for one without.
  Result(nanobind::object model, std::shared_ptr<const TaskCall> call, std::shared_ptr<const TextResult> query,
         std::vector<TextResult> windows);

  const Model& model() const { return nanobind::cast<const Model&>(model_); }
  const std::vector<TextResult>& windows() const { return windows_; }
  const TextResult& first() const { return windows_.front(); }
  TextResult& first() { return windows_.front(); }
  TaskOutput output() const;  // of the call

 private:
  nanobind::object model_;
  std::shared_ptr<const TaskCall> call_;
  std::shared_ptr<const TextResult> query_;
  std::vector<TextResult> windows_;
};

// The class Redactor: texts without the matches of expressions (bert/redact.h).
void bind_redactor(nanobind::module_& module);

// The Python class of this name.
void bind_result(nanobind::module_& module);

}  // namespace bert::python
