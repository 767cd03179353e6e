// Handles texts of a request that are too long, by its fields "long_text", "stride" and "truncate". Each window is
// computed in a separate turn of the queue.
#pragma once

#include "bert/windows.h"
#include "program/server/routes/api.h"

namespace bert::server {

// The most bytes of a request's texts that have several windows, because they are divided before they are queued.
inline constexpr size_t kMaxWindowedBytes = 256 * 1024;

// What to do with texts that are too long.
struct LongTexts {
  LongText kind = LongText::kCut;
  size_t stride = kWindowStride;
  bool fits_stride = true;    // as in TextOptions
  bool merges_short = false;  // texts of one window also have TextOutput::windows
  size_t most_windows = kMostWindows;
};
// Reads the options "long_text" and "stride", if the settings have them, and the body's field "truncate": truncate, or,
// if false, return an error. Throws ApiError for contradictions.
LongTexts long_texts_of(const Json& body, const TaskSettings& settings, LongText by_default);

// Makes the job of a task: its query, if it has one, and the items of its inputs, whose number is checked as by
// new_job. Divides texts that are too long, if they are to be read in windows. Throws ApiError.
std::shared_ptr<Job> task_job(const Call& call, ServedModelPtr model, TaskCallPtr task, std::vector<TextItem> inputs,
                              const std::string& field, const LongTexts& how);

}  // namespace bert::server
