// Merges results of the windows of a text that is too long for a model. Each window has its own result
// (TextOptions::windows in bert/text_pipeline.h), and these functions make one result of them. Stateless.
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

// How a label's scores in the windows become one score: their mean or their maximum.
enum class WindowScores { kMean, kLargest };

// What to do with a text that is too long. kCut: read its beginning and count the other tokens. kWindows: read all of
// it in windows. kError: throw Error(kInvalidText).
enum class LongText { kCut, kWindows, kError };

inline constexpr size_t kWindowStride = 32;
inline constexpr size_t kMostWindows = 1024;  // limit for a text that a task reads; more are an error

struct WindowOptions {
  std::optional<LongText> long_text = {};  // default: kWindows if a stride is set, else as the call says
  // Tokens that adjacent windows share; only for kWindows. Default: kWindowStride, or half a window if that is less.
  std::optional<size_t> stride = {};
  WindowScores scores = WindowScores::kMean;
  ProgressCallback progress = {};  // called between forward passes; false ends the call with Error(kCancelled)
};

// A window's entities, whose places are in the whole text.
struct WindowEntities {
  Offset place;  // the window's place in the text, in UTF-8 bytes
  std::vector<Entity> entities;
};

// Returns the entities of a text, in its order. windows: in the text's order. Of overlapping entities of two windows,
// the one farther from its window's edges is kept, because its window shows more of its context; an end of the text is
// not an edge. Of equally far entities the one with the higher score is kept, then the first window's.
BERT_API std::vector<Entity> merge_windows(std::vector<WindowEntities> windows);

// Returns the scores of a text's labels, best first; of equal ones the first of the first window. windows: at least
// one, each with a score for each label. If several labels have the same name, the best of each window are merged, then
// the second best, and so on. Throws Error(kInvalidArgument) if a window's labels differ from the first window's.
BERT_API std::vector<LabelScore> merge_windows(std::span<const std::vector<LabelScore>> windows, WindowScores how);

}  // namespace bert
