// What a run computes for each text, and how it cuts texts.
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
  std::shared_ptr<const TaskCall> call = {};  // of the run's model; `task` is its computation
  std::optional<TextOptions> reading = {};    // for the call's texts; default: the task's options
  std::optional<size_t> max_length = {};      // default: the limit of the model or of the role
  size_t batch_tokens = 0;

  VectorRequest& vectors();  // throws Error for a task that makes no vectors
  EmbedOptions& dense();     // like vectors(), and requests a dense vector
};

// Converts the options of a task from Python. The option's type is the one in bert/task_settings.h; bytes are a text.
TaskSettings to_settings(const std::string& task, const nanobind::dict& options);

// Adds the Python class RunOptions.
void bind_run_options(nanobind::module_& module);

}  // namespace bert::python
