// A request's texts in the queue, what is done to each of them, and their outputs. A job is written by the scheduler's
// threads until it is finished.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bert/error.h"
#include "bert/model.h"
#include "bert/task_calls.h"
#include "bert/text_pipeline.h"
#include "program/server/base/memory_budget.h"
#include "program/server/queue/model_set.h"

namespace bert::server {

// What is done to each text of a request.
struct TextRequest {
  std::optional<TextTask> task = VectorRequest{.dense = EmbedOptions{}};  // none: nothing but the tokens, of any number
  std::string prompt = {};                             // goes before each text where the task has none of its own
  std::optional<Direction> truncation_direction = {};  // as in TokenizeOptions
  Truncation truncation = Truncation::kLongestFirst;   // the same, of pairs
  bool add_special_tokens = true;
  std::optional<size_t> stride = {};  // texts are divided into windows that share so many tokens
  bool fits_stride = false;           // as in TextOptions
  size_t max_length = 0;              // of a text or a window; 0: the model's
  size_t max_windows = 0;             // as in TokenizeOptions
  size_t pair_tokens = 0;             // the same
  bool may_truncate = false;          // false: a text that is too long is an error
  bool keeps_encoding = false;        // with offsets, beside what is computed
  bool is_partial = false;            // a text that fails has null in the answer
  bool fails_whole = false;           // when a text fails, those that are not computed yet are left out
  bool operator==(const TextRequest&) const = default;
};

// Bytes of what the request gave.
size_t bytes_of(const TextItem& text);

struct TextOutput {
  SequenceOutput output = {};
  size_t tokens = 0;            // computed
  size_t truncated_tokens = 0;  // removed
  size_t coarse_rows = 0;       // with 8-bit weights: of activations that 8 bits hardly hold
  Encoding encoding = {};       // where nothing is computed, or TextRequest::keeps_encoding
  std::optional<Error> error = {};
  bool is_too_long = false;              // the error's reason
  bool lacks_memory = false;             // for an output, and for an error
  std::vector<TextOutput> windows = {};  // of a text that was read in windows: what was computed stands in them

  // The windows, or itself.
  std::span<const TextOutput> sequences() const { return windows.empty() ? std::span(this, 1) : std::span(windows); }
  bool has_failed() const { return error.has_value() || lacks_memory; }
};

// A share of the scheduler's budget, which may outlive the scheduler.
struct AnswerShare {
  explicit AnswerShare(std::shared_ptr<MemoryBudget> all) : budget(std::move(all)), share(*budget) {}
  const std::shared_ptr<MemoryBudget> budget;
  MemoryShare share;
};

// A request's texts. Written by the scheduler's threads until `finished` is called.
struct Job {
  using Clock = std::chrono::steady_clock;

  std::shared_ptr<const ServedModel> model;
  TextRequest request;
  std::vector<TextItem> texts;                // ids without special tokens
  std::shared_ptr<const TaskCall> task = {};  // whose items the texts are; null: the outputs are no task's
  // Where the request has a stride, the windows of all texts, which are computed in the texts' place; and the first one
  // of each text, with the end of the last.
  std::vector<TextResult> windows = {};
  std::vector<size_t> first_windows = {};
  std::vector<Offset> window_places = {};  // [windows]
  std::function<void(Job&)> merge = {};    // makes outputs of texts of those of windows; null without windows
  // Called once, by a thread of the scheduler, when every text has its output; never after cancel(). Throws nothing.
  std::function<void(Job&)> finished;
  bool finishes_late = false;  // `finished` may take long, so that caught_up() leaves the job to a thread

  std::vector<TextOutput> outputs = {};  // [texts], or [windows] until they are merged
  // The share of the outputs and of the answer that is made of them; kept until the answer is sent.
  std::shared_ptr<AnswerShare> share = {};
  bool exceeds_budget = false;         // the answer would be more than a share
  Clock::duration queue_time = {};     // until its first text was taken
  Clock::duration tokenize_time = {};  // of all texts
  Clock::duration compute_time = {};   // from the first text taken to the last output, less tokenize_time

  // Whether its client has left: what is made of the outputs may end.
  bool is_cancelled() const { return is_cancelled_; }
  // What is computed: windows, else texts.
  size_t sequences() const { return windows.empty() ? texts.size() : windows.size(); }

 private:
  friend class Scheduler;
  std::optional<TextTaskRunner> runner_;
  size_t bytes_ = 0;
  size_t next_ = 0;   // the first text that is not taken
  size_t ready_ = 0;  // outputs
  std::atomic<bool> is_cancelled_{false};
  // The other texts are not computed: for the memory of the answer; as a text failed, and the request with it.
  std::atomic<bool> is_refused_{false}, has_failed_{false};
  Clock::time_point queued_at_, taken_at_;
};

// How the job's texts are cut and computed. Throws Error for what fails for every text.
TextTaskRunner runner_of(const Job& job, ReserveCallback reserve = {});
// The text as it is cut, with the request's prompt. truncated: if not null, the ids that are left out.
TextItem queued_item(const Job& job, size_t text, size_t* truncated = nullptr);

inline double milliseconds(Job::Clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

}  // namespace bert::server
