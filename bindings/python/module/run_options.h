// What a run computes for each text, and how texts are cut.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "bert/task_calls.h"
#include "bert/task_settings.h"
#include "bert/text_pipeline.h"

namespace bert::python {

struct RunOptions {
  TextTask task = VectorRequest{.dense = EmbedOptions{}};
  std::shared_ptr<const TaskCall> call = {};  // whose computation `task` is; of the run's model
  std::optional<TextOptions> reading = {};    // of the call's texts; default: the task's
  std::optional<size_t> max_length = {};      // default: the model's, or the role's
  size_t batch_tokens = 0;

  VectorRequest& vectors();  // throws Error for a task that makes none
  EmbedOptions& dense();     // the same; a dense vector is made from now on
};

// The task's options by their names, of the types that bert/task_settings.h says; bytes are a text.
TaskSettings to_settings(const std::string& task, const nanobind::dict& options);

// The Python class of this name.
void bind_run_options(nanobind::module_& module);

}  // namespace bert::python
