#include "program/server/queue/scheduler.h"

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include "program/server/queue/answer_bytes.h"

namespace bert::server {
namespace {

using Clock = Job::Clock;

constexpr auto kRateTime = std::chrono::seconds(2);
constexpr size_t kWindowTokenBytes = sizeof(int32_t) * 4 + sizeof(Offset) + 2;  // bytes of a token in an encoding
constexpr size_t kFirstTexts = 16;                                              // texts of a thread's batch before it
                                                                                // grows

}  // namespace

Scheduler::Scheduler(const SchedulerOptions& options, std::function<void(size_t, size_t)> batch_computed)
    : options_(options),
      batch_computed_(std::move(batch_computed)),
      answers_(std::make_shared<MemoryBudget>(options.max_answer_bytes)),
      rated_at_(Clock::now()) {
  workers_.resize(options_.threads);
  caller_.batch.reserve(1);
  caller_.pass.reserve(1);
  threads_.reserve(options_.threads);
  try {
    for (Worker& worker : workers_) {
      worker.batch.reserve(kFirstTexts);
      worker.pass.reserve(kFirstTexts);
      threads_.emplace_back([this, &worker] { work(worker); });
    }
  } catch (const std::exception&) {
    end_threads();
    throw;
  }
}

Scheduler::~Scheduler() { end_threads(); }

void Scheduler::end_threads() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool Scheduler::has_room(size_t texts, size_t bytes) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return texts_ + texts <= options_.max_texts && bytes_ + bytes <= options_.max_bytes;
}

bool Scheduler::submit(const std::shared_ptr<Job>& job, Wake wake) {
  job->runner_ = runner_of(*job, [this](const TextResult& result, const OutputSize& size) {
    Taken& taken = *std::any_cast<Taken*>(result.input.tag);
    return reserve(taken, answer_bytes(*taken.job, size));
  });
  for (const TextItem& text : job->texts) job->bytes_ += bytes_of(text);
  for (const TextResult& window : job->windows) job->bytes_ += kWindowTokenBytes * window.tokens.encoding.size();
  job->outputs.resize(job->sequences());
  job->share = std::make_shared<AnswerShare>(answers_);
  job->queued_at_ = Clock::now();
  std::list<std::shared_ptr<Job>> turn = {job};
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (texts_ + job->sequences() > options_.max_texts || bytes_ + job->bytes_ > options_.max_bytes) return false;
    texts_ += job->sequences();
    bytes_ += job->bytes_;
    turns_.splice(turns_.end(), turn);
    wakes_late_ |= wake == Wake::kWhenCaughtUp;
  }
  if (wake == Wake::kNow) changed_.notify_one();
  return true;
}

void Scheduler::caught_up() noexcept {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!std::exchange(wakes_late_, false)) return;
    if (stop_ || !is_one_short_text()) {
      changed_.notify_all();
      return;
    }
    ++busy_;
  }
  const std::lock_guard<std::mutex> lock(caller_mutex_);
  compute_batch(caller_);
}

// Requires the mutex.
bool Scheduler::is_one_short_text() const noexcept {
  if (busy_ > 0 || texts_ != 1 || turns_.size() != 1) return false;
  const Job& job = *turns_.front();
  if (job.finishes_late) return false;
  const Model& model = job.model->model;
  // A token has at least one byte; a few tokens are special.
  const std::array<size_t, 1> tokens = {std::min(job.bytes_ + job.request.prompt.size() + 8, model.max_length())};
  try {
    return model.cost(tokens).flops <= options_.short_flops;
  } catch (const std::exception&) {
    return false;
  }
}

void Scheduler::cancel(const std::shared_ptr<Job>& job) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (job->is_cancelled_.exchange(true) || job->ready_ == job->sequences()) return;
  texts_ -= job->sequences();
  bytes_ -= job->bytes_;
  turns_.remove(job);
}

size_t Scheduler::texts() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return texts_;
}

std::chrono::seconds Scheduler::expected_wait() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const double seconds = texts_per_second_ > 0 ? static_cast<double>(texts_) / texts_per_second_ : 1;
  return std::chrono::seconds(static_cast<int64_t>(std::clamp(seconds, 1.0, 60.0)));
}

void Scheduler::work(Worker& worker) noexcept {
  while (true) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [&] { return stop_ || !turns_.empty(); });
      if (stop_) return;
      ++busy_;
    }
    compute_batch(worker);
  }
}

void Scheduler::compute_batch(Worker& worker) noexcept {
  const size_t tokens = fill(worker.batch);
  if (!worker.batch.empty()) {
    compute(worker);
    if (batch_computed_) batch_computed_(worker.batch.size(), tokens);
    deliver(worker.batch);
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  --busy_;
}

// Fills the batch; returns its number of tokens.
size_t Scheduler::fill(Batch& batch) noexcept {
  size_t tokens = 0, longest = 0;
  while (true) {
    try {
      batch.emplace_back();
    } catch (const std::exception&) {
      return tokens;  // the batch is not empty: it was made with room for one text
    }
    Taken& taken = batch.back();
    if (!take(batch.size() == 1 ? nullptr : &batch.front(), taken)) {
      batch.pop_back();
      return tokens;
    }
    tokenize(taken);
    tokens += taken.tokens();
    longest = std::max(longest, taken.tokens());
    const TextTaskRunner& runner = *batch.front().job->runner_;
    const size_t most = options_.batch_tokens > 0 ? options_.batch_tokens : runner.pass_tokens(options_.threads);
    if (tokens + longest > most) return tokens;
  }
}

void Scheduler::compute(Worker& worker) noexcept {
  worker.pass.clear();
  try {
    for (Taken& taken : worker.batch) {
      taken.result.input.tag = &taken;
      if (!taken.has_failed()) worker.pass.push_back(&taken.result);
    }
    // A pass continues while any of its clients is there.
    const auto goes_on = [&] {
      return std::any_of(worker.batch.begin(), worker.batch.end(),
                         [](const Taken& taken) { return !taken.job->is_cancelled(); });
    };
    worker.batch.front().job->runner_->compute(worker.pass, goes_on);
  } catch (const std::exception&) {  // no memory for the error of a text
    for (Taken& taken : worker.batch) taken.lacks_memory |= !taken.has_failed();
  }
}

// Takes the next text that may share a pass with `like` (null: any). The job's following text comes after one of each
// other job.
bool Scheduler::take(const Taken* like, Taken& taken) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto turn = std::find_if(turns_.begin(), turns_.end(), [&](const std::shared_ptr<Job>& job) {
    return like == nullptr || job->runner_->shares_passes_with(*like->job->runner_);
  });
  if (turn == turns_.end() || stop_) return false;
  taken.job = *turn;
  Job& job = *taken.job;
  if (job.next_ == 0) {
    job.taken_at_ = Clock::now();
    job.queue_time = job.taken_at_ - job.queued_at_;
  }
  taken.index = job.next_++;
  if (job.next_ < job.sequences()) {
    turns_.splice(turns_.end(), turns_, turn);
  } else {
    turns_.erase(turn);
  }
  return true;
}

void Scheduler::tokenize(Taken& taken) noexcept {
  const Clock::time_point begin = Clock::now();
  Job& job = *taken.job;
  if (job.is_refused_ || job.has_failed_) {
    taken.lacks_memory = job.is_refused_;
    taken.is_skipped = true;
    return;
  }
  TextOutput& output = job.outputs[taken.index];
  try {
    size_t truncated = 0;
    taken.result = job.windows.empty() ? std::move(job.runner_->cut(queued_item(job, taken.index, &truncated)).front())
                                       : std::move(job.windows[taken.index]);
    if (!job.runner_->reads_texts()) {  // such texts may be long, with a prompt, and have few tokens left
      taken.result.input.text = std::string();
      taken.result.input.pair = std::string();
    }
    const Encoding& encoding = taken.result.tokens.encoding;
    output.tokens = encoding.size();
    output.truncated_tokens = encoding.truncated_tokens + truncated;
    if (!taken.result.error && output.truncated_tokens > 0 && !job.request.may_truncate) {
      output.is_too_long = true;
      taken.result.error.emplace(ErrorCode::kInvalidText, std::to_string(output.tokens + output.truncated_tokens) +
                                                              " tokens, expected at most " +
                                                              std::to_string(output.tokens));
    }
  } catch (const std::exception&) {
    taken.lacks_memory = true;
  }
  if (taken.has_failed()) job.has_failed_ = job.request.fails_whole;
  const std::lock_guard<std::mutex> lock(mutex_);
  job.tokenize_time += Clock::now() - begin;
}

// Sets the share of the text's answer to this many bytes. Several threads may call it for texts of one job.
bool Scheduler::reserve(Taken& taken, size_t bytes) noexcept {
  Job& job = *taken.job;
  taken.lacks_memory |= job.is_refused_;
  if (taken.lacks_memory) return false;
  if (bytes <= taken.reserved) return true;
  const std::lock_guard<std::mutex> lock(mutex_);
  const size_t all = job.share->share.bytes() + bytes - taken.reserved;
  if (job.share->share.grow_to(all)) {
    taken.reserved = bytes;
    return true;
  }
  taken.lacks_memory = true;
  job.is_refused_ = true;
  job.exceeds_budget |= all > answers_->largest_share();
  return false;
}

void Scheduler::deliver(Batch& batch) noexcept {
  for (Taken& taken : batch) {
    if (!taken.has_failed()) reserve(taken, answer_bytes(*taken.job, taken.result, keeps_encoding(*taken.job)));
    TextOutput& output = taken.job->outputs[taken.index];
    if (taken.has_failed()) taken.job->has_failed_ = taken.job->request.fails_whole;
    if (taken.lacks_memory) {
      output.lacks_memory = true;
      continue;
    }
    output.error = std::move(taken.result.error);
    output.coarse_rows = taken.result.tokens.coarse_rows();
    if (keeps_encoding(*taken.job)) output.encoding = std::move(taken.result.tokens.encoding);
    output.output = std::move(taken.result.output);
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const Clock::time_point now = Clock::now();
    for (Taken& taken : batch) {
      Job& job = *taken.job;
      if (++job.ready_ < job.sequences() || job.is_cancelled_) continue;
      job.compute_time = std::max(now - job.taken_at_ - job.tokenize_time, Clock::duration::zero());
      texts_ -= job.sequences();
      bytes_ -= job.bytes_;
      taken.ends_job = true;
    }
    rated_texts_ += batch.size();
    if (now - rated_at_ > kRateTime) {
      texts_per_second_ = static_cast<double>(rated_texts_) / std::chrono::duration<double>(now - rated_at_).count();
      rated_texts_ = 0;
      rated_at_ = now;
    }
  }
  for (const Taken& taken : batch) {
    if (taken.ends_job) taken.job->finished(*taken.job);
  }
  batch.clear();
}

}  // namespace bert::server
