// Texts that are too long for a model. Each window of such a text has results of its own (TextOptions::windows in
// bert/text_pipeline.h), and these functions make one result of them. Stateless.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "bert/export.h"
#include "bert/labels.h"
#include "bert/model.h"
#include "bert/tokenizer.h"

namespace bert {

// How the scores of a label in the windows become one: their mean, or the largest.
enum class WindowScores { kMean, kLargest };

// What is done with a text that is too long: its beginning is read and the rest counted, or all of it in windows, or it
// is an error.
enum class LongText { kCut, kWindows, kError };

inline constexpr size_t kWindowStride = 32;
inline constexpr size_t kMostWindows = 1024;  // of a text that a task reads; more are an error

struct WindowOptions {
  std::optional<LongText> long_text = {};  // default: kWindows with a stride, else what the call says
  // Tokens that adjacent windows share; for kWindows alone. Default: kWindowStride, or half a window.
  std::optional<size_t> stride = {};
  WindowScores scores = WindowScores::kMean;
  ProgressCallback progress = {};  // called between forward passes; false ends the call with Error(kCancelled)
};

// A window's entities, with their places in the text.
struct WindowEntities {
  Offset place;  // of the window in the text, in UTF-8 bytes
  std::vector<Entity> entities;
};

// The entities of a text, in its order. windows: in the text's order. Of entities of two windows that overlap, the one
// that lies farther from its window's edges is kept, as the window has read more of what is around it; an end of the
// text is no edge. Of equally far ones the higher score, then the first window.
BERT_API std::vector<Entity> merge_windows(std::vector<WindowEntities> windows);

// The scores of a text's labels, best first; of equal ones the first of the first window. windows: at least one, each
// with a score for each label. Of labels of one name, the best of each window are one, then the second best. Throws
// Error(kInvalidArgument) for windows of other labels than those of the first one.
BERT_API std::vector<LabelScore> merge_windows(std::span<const std::vector<LabelScore>> windows, WindowScores how);

}  // namespace bert
