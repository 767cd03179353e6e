// Texts of a request that are too long: its fields "long_text", "stride", "truncate" and "window_scores". Each window
// is computed in its own turn of the queue, and a text's output is made of its windows' outputs.
#pragma once

#include <functional>
#include <span>

#include "bert/tasks.h"
#include "bert/windows.h"
#include "tools/server/routes/api.h"

namespace bert::server {

// The most bytes of a request's texts that have several windows: they are divided before they wait in the queue.
inline constexpr size_t kMaxWindowedBytes = 256 * 1024;

// What is done with texts that are too long.
struct LongTexts {
  LongText kind = LongText::kCut;
  size_t stride = kWindowStride;
  bool fits_stride = true;    // as in TextOptions
  bool merges_short = false;  // texts of one window are merged too
  size_t most_windows = kMostWindows;
};
// stride: windows; truncate: cut, or, if false, an error. Throws ApiError for fields that contradict each other.
LongTexts long_texts_of(const Json& body, LongText by_default);
WindowScores window_scores_of(const Json& body);

// A text of the job in windows: their outputs, and where each is in the text.
struct WindowOutputs {
  const Job& job;
  size_t text = 0;
  std::span<TextOutput> outputs;                // moved from
  std::span<const Offset> places;               // of windows that are read with labels
  std::span<const TextOutput> of_texts_before;  // the outputs of the job's texts before this one
};
// Sets what is computed in the output of the whole text; its counts are there.
using MergeWindows = std::function<void(const WindowOutputs& windows, TextOutput& whole)>;

// Divides the job's texts from `first` on, where some are too long and are to be read in windows, and says whether the
// others may be cut. Throws ApiError.
void divide_texts(const Call& call, Job& job, const LongTexts& how, const MergeWindows& merge, size_t first = 0);

// Merges of labels' results, and of all rows of logits, one window after the other.
void merge_entities(const WindowOutputs& windows, TextOutput& whole);
MergeWindows merge_tagged(Aggregation aggregation, TagScheme scheme);  // of a token classifier
MergeWindows merge_label_scores(WindowScores how);
void join_logits(const WindowOutputs& windows, TextOutput& whole);

}  // namespace bert::server
