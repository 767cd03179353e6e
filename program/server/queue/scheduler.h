// The queue of texts and the threads that compute them. A free thread takes texts of the same model and task until a
// budget of tokens is reached, tokenises them as it takes them, and computes them as one ragged batch; it never waits
// for more. Requests take turns, one text each, so a long request delays a short one by at most the running batches. If
// the threads are idle, one short text is computed by the caller, so that no thread has to be woken for it. Safe to use
// from many threads.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "bert/text_pipeline.h"
#include "program/server/base/memory_budget.h"
#include "program/server/queue/job.h"

namespace bert::server {

struct SchedulerOptions {
  size_t threads = 1;
  size_t batch_tokens = 0;              // 0: TextTaskRunner::pass_tokens of the threads
  size_t max_texts = 8192;              // limit of the texts of all unfinished requests
  size_t max_bytes = 64 * 1024 * 1024;  // limit of the bytes of these texts
  size_t max_answer_bytes = SIZE_MAX;   // limit for outputs and answers that are being made or sent (MemoryBudget)
  double short_flops = 1e9;             // the most work that caught_up() computes itself: 20 ms at 50 GFLOP/s
};

// When a thread learns of a job. kWhenCaughtUp: the caller will soon call caught_up().
enum class Wake { kNow, kWhenCaughtUp };

class Scheduler {
 public:
  // batch_computed: called after each batch, by the thread that computed it. Must not throw.
  explicit Scheduler(const SchedulerOptions& options,
                     std::function<void(size_t texts, size_t tokens)> batch_computed = nullptr);
  // Drops waiting texts; running batches end first.
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Returns whether a request with this many texts and bytes would be accepted now.
  bool has_room(size_t texts, size_t bytes) const;
  // Adds a job; returns false if the queue is full. Throws Error if every text would fail, as TextTaskRunner does.
  bool submit(const std::shared_ptr<Job>& job, Wake wake = Wake::kNow);
  // Handles the jobs that were submitted with kWhenCaughtUp: computes here if there is only one short text to compute,
  // else wakes threads.
  void caught_up() noexcept;
  // Removes the job's waiting texts from the queue. A pass whose texts all belong to cancelled jobs ends at its next
  // layer.
  void cancel(const std::shared_ptr<Job>& job);

  size_t texts() const;  // of the unfinished requests
  // Returns how long the queued texts will probably take, estimated from the last seconds; at least a second.
  std::chrono::seconds expected_wait() const;
  const SchedulerOptions& options() const { return options_; }
  const std::shared_ptr<MemoryBudget>& answers() const { return answers_; }

 private:
  struct Taken {
    std::shared_ptr<Job> job;
    size_t index = 0;
    TextResult result;
    size_t reserved = 0;  // bytes reserved in the job's share
    bool lacks_memory = false;
    bool is_skipped = false;  // another text of the job has failed
    bool ends_job = false;    // it was the last missing output
    bool has_failed() const { return result.error || lacks_memory || is_skipped; }
    size_t tokens() const { return has_failed() ? 0 : result.tokens.encoding.size(); }
  };
  using Batch = std::vector<Taken>;
  static bool keeps_encoding(const Job& job) { return job.request.keeps_encoding || !job.runner_->computes(); }
  // A thread's memory, reused for each batch, so that taking one text allocates nothing.
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
  std::list<std::shared_ptr<Job>> turns_;  // jobs with texts that are not taken yet; the first one's turn is next
  size_t texts_ = 0, bytes_ = 0;
  size_t busy_ = 0;          // number of threads that compute a batch
  bool wakes_late_ = false;  // a job was submitted with kWhenCaughtUp
  double texts_per_second_ = 0;
  Job::Clock::time_point rated_at_;
  size_t rated_texts_ = 0;
  bool stop_ = false;
  std::vector<Worker> workers_;
  std::mutex caller_mutex_;
  Worker caller_;  // for caught_up()
  std::vector<std::thread> threads_;
};

}  // namespace bert::server
