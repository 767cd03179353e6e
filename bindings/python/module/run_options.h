// What a run computes for each text, and how texts are cut.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <memory>
#include <optional>

#include "bert/task_calls.h"
#include "bert/text_pipeline.h"

namespace bert::python {

struct RunOptions {
  TextTask task = VectorRequest{.dense = EmbedOptions{}};
  std::shared_ptr<const TaskCall> call = {};  // whose computation `task` is; of the run's model
  std::optional<size_t> max_length = {};      // default: the model's, or the role's
  bool windows = false;
  size_t stride = kWindowStride;  // that windows share
  bool fits_stride = true;        // as in TextOptions
  bool refuses_long_texts = false;
  size_t batch_tokens = 0;

  void set_call(TaskCallPtr made);
  VectorRequest& vectors();  // throws Error for a task that makes none
  EmbedOptions& dense();     // the same; a dense vector is made from now on
};

// The Python class of this name.
void bind_run_options(nanobind::module_& module);

}  // namespace bert::python
