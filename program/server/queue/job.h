// A request's texts in the queue, what is done with each of them, and their outputs. The scheduler's threads write to a
// job until it is finished.
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

// What is done with each text of a request.
struct TextRequest {
  std::optional<TextTask> task = VectorRequest{.dense = EmbedOptions{}};  // nullopt: tokenise only, without a length
                                                                          // limit
  std::string prompt = {};                             // put before each text, if the task has no prompt of its own
  std::optional<Direction> truncation_direction = {};  // as in TokenizeOptions
  Truncation truncation = Truncation::kLongestFirst;   // as in TokenizeOptions, for pairs
  bool add_special_tokens = true;
  std::optional<size_t> stride = {};  // divides texts into windows that share this many tokens
  bool fits_stride = false;           // as in TextOptions
  size_t max_length = 0;              // limit of a text or a window; 0: the model's
  size_t max_windows = 0;             // as in TokenizeOptions
  size_t pair_tokens = 0;             // as in TokenizeOptions
  bool may_truncate = false;          // false: a text that is too long is an error
  bool keeps_encoding = false;        // keep the tokens, with offsets, beside the output
  bool is_partial = false;            // the answer has null for a failed text
  bool fails_whole = false;           // when a text fails, texts that are not computed yet are left out
  bool operator==(const TextRequest&) const = default;
};

// Returns the bytes of a text as given in the request.
size_t bytes_of(const TextItem& text);

struct TextOutput {
  SequenceOutput output = {};
  size_t tokens = 0;            // computed tokens
  size_t truncated_tokens = 0;  // removed tokens
  size_t coarse_rows = 0;       // with 8-bit weights: rows of activations that 8 bits represent poorly
  Encoding encoding = {};       // set if nothing is computed, or by TextRequest::keeps_encoding
  std::optional<Error> error = {};
  bool is_too_long = false;              // the reason of the error
  bool lacks_memory = false;             // for an output, or for an error
  std::vector<TextOutput> windows = {};  // for a text that was read in windows: their outputs

  // Returns the windows, or this output itself.
  std::span<const TextOutput> sequences() const { return windows.empty() ? std::span(this, 1) : std::span(windows); }
  bool has_failed() const { return error.has_value() || lacks_memory; }
};

// A share of the scheduler's budget; it may outlive the scheduler.
struct AnswerShare {
  explicit AnswerShare(std::shared_ptr<MemoryBudget> all) : budget(std::move(all)), share(*budget) {}
  const std::shared_ptr<MemoryBudget> budget;
  MemoryShare share;
};

// A request's texts. The scheduler's threads write to it until `finished` is called.
struct Job {
  using Clock = std::chrono::steady_clock;

  std::shared_ptr<const ServedModel> model;
  TextRequest request;
  std::vector<TextItem> texts;                // ids have no special tokens
  std::shared_ptr<const TaskCall> task = {};  // whose items the texts are; null: the outputs belong to no task
  // Windows of all texts, which are computed instead of the texts if the request has a stride; first_windows[i] is text
  // i's first, with a final end.
  std::vector<TextResult> windows = {};
  std::vector<size_t> first_windows = {};
  std::vector<Offset> window_places = {};  // [windows]
  std::function<void(Job&)> merge = {};    // merges the outputs of windows to outputs of texts; null without windows
  // Called once, by a thread of the scheduler, when every text has its output; never after cancel(). Must not throw.
  std::function<void(Job&)> finished;
  bool finishes_late = false;  // `finished` may take long, so caught_up() leaves the job to a thread

  std::vector<TextOutput> outputs = {};  // [texts], or [windows] until they are merged
  // The memory share of the outputs and of the answer; kept until the answer is sent.
  std::shared_ptr<AnswerShare> share = {};
  bool exceeds_budget = false;         // the answer would exceed the largest share
  Clock::duration queue_time = {};     // until the first text was taken
  Clock::duration tokenize_time = {};  // for all texts
  Clock::duration compute_time = {};   // from the first taken text to the last output, minus tokenize_time

  // Returns whether the client has left; making an answer from the outputs may then end.
  bool is_cancelled() const { return is_cancelled_; }
  // Returns the number of computed sequences: windows, else texts.
  size_t sequences() const { return windows.empty() ? texts.size() : windows.size(); }

 private:
  friend class Scheduler;
  std::optional<TextTaskRunner> runner_;
  size_t bytes_ = 0;
  size_t next_ = 0;   // the first text that is not taken yet
  size_t ready_ = 0;  // number of finished outputs
  std::atomic<bool> is_cancelled_{false};
  // The remaining texts are not computed: because of the answer's memory; because a text failed, and with it the
  // request.
  std::atomic<bool> is_refused_{false}, has_failed_{false};
  Clock::time_point queued_at_, taken_at_;
};

// Makes the runner that cuts and computes the job's texts. Throws Error if every text would fail.
TextTaskRunner runner_of(const Job& job, ReserveCallback reserve = {});
// Returns the text to cut, with the request's prompt. truncated: if not null, receives the number of removed ids.
TextItem queued_item(const Job& job, size_t text, size_t* truncated = nullptr);

inline double milliseconds(Job::Clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

}  // namespace bert::server
