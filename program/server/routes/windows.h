// Texts of a request that are too long: its fields "long_text", "stride" and "truncate". Each window is computed in
// its own turn of the queue.
#pragma once

#include "bert/windows.h"
#include "program/server/routes/api.h"

namespace bert::server {

// The most bytes of a request's texts that have several windows: they are divided before they wait in the queue.
inline constexpr size_t kMaxWindowedBytes = 256 * 1024;

// What is done with texts that are too long.
struct LongTexts {
  LongText kind = LongText::kCut;
  size_t stride = kWindowStride;
  bool fits_stride = true;    // as in TextOptions
  bool merges_short = false;  // texts of one window have TextOutput::windows too
  size_t most_windows = kMostWindows;
};
// Of the options "long_text" and "stride", as far as the settings have them, and the body's field "truncate": cut, or,
// if false, an error. Throws ApiError for those that contradict each other.
LongTexts long_texts_of(const Json& body, const TaskSettings& settings, LongText by_default);

// The job of a task: its query, if it has one, and the items of its inputs, which are counted as by new_job. Divides
// those that are too long, where they are to be read in windows. Throws ApiError.
std::shared_ptr<Job> task_job(const Call& call, ServedModelPtr model, TaskCallPtr task, std::vector<TextItem> inputs,
                              const std::string& field, const LongTexts& how);

}  // namespace bert::server
