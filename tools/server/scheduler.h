// The queue of texts and the threads that compute them. A thread that is free takes texts of the same model and
// task until a budget of tokens is reached, tokenises them as it takes them, and computes them as one ragged
// batch; it never waits for more. Requests take turns, one text each, so a long request delays a short one by at most
// the batches that are running. One short text that finds the threads idle is computed by the caller, so that no thread
// has to be woken for it. Safe to use from many threads.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bert/error.h"
#include "bert/model.h"
#include "bert/text_pipeline.h"
#include "tools/server/memory_budget.h"
#include "tools/server/model_set.h"

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

struct TextOutput : TextOutputs {
  size_t tokens = 0;            // computed
  size_t truncated_tokens = 0;  // removed
  size_t coarse_rows = 0;       // with 8-bit weights: of activations that 8 bits hardly hold
  Encoding encoding = {};       // where nothing is computed, or TextRequest::keeps_encoding
  std::optional<Error> error = {};
  bool is_too_long = false;   // the error's reason
  bool lacks_memory = false;  // for an output, and for an error

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
  std::vector<TextItem> texts;  // ids without special tokens
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

struct SchedulerOptions {
  size_t threads = 1;
  size_t batch_tokens = 0;              // 0: TextTaskRunner::pass_tokens of the threads
  size_t max_texts = 8192;              // of the requests that are not finished
  size_t max_bytes = 64 * 1024 * 1024;  // the same, of their texts
  size_t max_answer_bytes = SIZE_MAX;   // of the outputs and answers that are being made or sent (MemoryBudget)
  double short_flops = 1e9;             // the most work that caught_up() does itself: 20 ms at 50 GFLOP/s
};

// When a thread learns of a job. kWhenCaughtUp: the caller calls caught_up() soon.
enum class Wake { kNow, kWhenCaughtUp };

class Scheduler {
 public:
  // batch_computed: called after each batch, by the thread that computed it. Throws nothing.
  explicit Scheduler(const SchedulerOptions& options,
                     std::function<void(size_t texts, size_t tokens)> batch_computed = nullptr);
  // Drops what waits; batches that are being computed end first.
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Whether a request of so many texts and bytes would be taken now.
  bool has_room(size_t texts, size_t bytes) const;
  // False if the queue is full. Throws Error for what fails for every text, as TextTaskRunner does.
  bool submit(const std::shared_ptr<Job>& job, Wake wake = Wake::kNow);
  // Computes the jobs that were submitted without a wake: here, if one short text is all that there is to do; else it
  // wakes threads.
  void caught_up() noexcept;
  // Takes the texts that wait out of the queue. A pass of texts of cancelled jobs alone ends at its next layer.
  void cancel(const std::shared_ptr<Job>& job);

  size_t texts() const;  // of the requests that are not finished
  // How long the texts of the queue will take, by the texts of the last seconds: at least a second.
  std::chrono::seconds expected_wait() const;
  const SchedulerOptions& options() const { return options_; }
  const std::shared_ptr<MemoryBudget>& answers() const { return answers_; }

 private:
  struct Taken {
    std::shared_ptr<Job> job;
    size_t index = 0;
    TextResult result;
    size_t reserved = 0;  // bytes of the job's share
    bool lacks_memory = false;
    bool is_skipped = false;  // another text of the job has failed
    bool ends_job = false;    // the last output that was missing
    bool has_failed() const { return result.error || lacks_memory || is_skipped; }
    size_t tokens() const { return has_failed() ? 0 : result.encoding.size(); }
  };
  using Batch = std::vector<Taken>;
  static bool keeps_encoding(const Job& job) { return job.request.keeps_encoding || !job.runner_->computes(); }
  // A thread's memory, kept from batch to batch: taking one text allocates nothing.
  struct Worker {
    Batch batch;
    std::vector<TextResult*> pass;
  };

  void end_threads();
  void work(Worker& worker) noexcept;
  bool is_one_short_text() const noexcept;
  void compute_batch(Worker& worker) noexcept;
  size_t fill(Batch& batch) noexcept;
  void compute(Worker& worker) noexcept;
  bool take(const Taken* like, Taken& taken) noexcept;
  void tokenize(Taken& taken) noexcept;
  bool reserve(Taken& taken, size_t bytes) noexcept;
  void deliver(Batch& batch) noexcept;

  const SchedulerOptions options_;
  const std::function<void(size_t, size_t)> batch_computed_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  const std::shared_ptr<MemoryBudget> answers_;
  std::list<std::shared_ptr<Job>> turns_;  // with texts that are not taken; the first one's turn is next
  size_t texts_ = 0, bytes_ = 0;
  size_t busy_ = 0;          // threads with a batch
  bool wakes_late_ = false;  // a job was submitted without a wake
  double texts_per_second_ = 0;
  Job::Clock::time_point rated_at_;
  size_t rated_texts_ = 0;
  bool stop_ = false;
  std::vector<Worker> workers_;
  std::mutex caller_mutex_;
  Worker caller_;  // of caught_up()
  std::vector<std::thread> threads_;
};

}  // namespace bert::server
