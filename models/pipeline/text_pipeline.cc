// All threads, including the caller of next(), do the same: a thread takes items from the source and tokenises them
// until its batch is full, computes the batch, and stores the results in order. So tokenising, encoding and the
// caller's work on results overlap without queues between threads, and a pass gets all threads if it is the only one.
// Only the caller of next() waits for the first text of a batch, and only while nothing is being computed; any thread
// waits for further texts, up to max_wait.
#include "bert/text_pipeline.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "engine/base/cpu.h"
#include "engine/base/joined.h"

namespace bert {
namespace {

using Clock = std::chrono::steady_clock;
using State = TextSource::State;
using Wait = TextSource::Wait;

constexpr Wait kNoWait{0};
constexpr size_t kMaxBatchItems = 1024;  // failed items count no tokens, so their number is limited too

}  // namespace

State Texts::next(TextItem& item, Wait) {
  if (next_ == texts_.size()) return State::kEnd;
  item = {.text = std::string(texts_[next_++])};
  return State::kItem;
}

State TextItems::next(TextItem& item, Wait) {
  if (next_ == items_.size()) return State::kEnd;
  item = items_[next_++];
  return State::kItem;
}

class TextPipeline::Run {
 public:
  // threads: used if the options have none.
  Run(TextTaskRunner runner, size_t threads, TextSource& source, const TextOptions& options)
      : runner_(std::move(runner)),
        source_(source),
        needs_threads_(options.threads > 0),
        threads_(options.threads > 0 ? options.threads : threads),
        batch_tokens_(runner_.pass_tokens(threads_)),
        max_wait_(options.max_wait),
        progress_(options.progress) {}

  ~Run() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    for (std::thread& helper : helpers_) helper.join();
  }

  bool next(TextResult& result);
  bool ready() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return first_is_done();
  }

 private:
  // The results of an item, in input order.
  struct Place {
    std::vector<TextResult> results;
    size_t given = 0;  // number of results returned to the caller
    bool is_done = false;
  };
  struct Batch {
    std::vector<std::vector<TextResult>> items;  // the sequences of each item
    size_t tokens = 0;
    size_t longest = 0;
  };

  enum class By { kCaller, kHelper };  // the thread that calls next(), or one of helpers_

  bool work(Wait wait_for_first, By thread);
  bool fill_and_compute(Wait wait_for_first, By thread);
  State take(TextItem& item, size_t& index, Wait wait);
  void add(TextItem item, size_t index, Batch& batch) const;
  void call_helpers();
  void help();
  void report_progress();
  void fail(std::exception_ptr failure);
  void compute(Batch& batch, By thread);
  void publish(Batch batch);

  static size_t tokens(const TextResult& result) { return result.error ? 0 : result.tokens.encoding.size(); }
  bool is_full(const Batch& batch) const {
    return !batch.items.empty() &&
           (batch.tokens + batch.longest > batch_tokens_ || batch.items.size() == kMaxBatchItems);
  }
  bool is_stopped() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return stop_;
  }
  // Requires mutex_.
  bool first_is_done() const { return !places_.empty() && places_.front().is_done; }
  bool has_room() const {
    return waiting_tokens_ / (2 * threads_) < batch_tokens_ && places_.size() < 2 * threads_ * kMaxBatchItems;
  }

  const TextTaskRunner runner_;
  TextSource& source_;
  const bool needs_threads_;  // false: fewer than threads_ are accepted if the system cannot create more
  const size_t threads_;
  const size_t batch_tokens_;
  const std::chrono::milliseconds max_wait_;
  const ProgressCallback progress_;
  TextProgress returned_;             // by next(); used only by its thread
  std::vector<std::thread> helpers_;  // help the caller of next()

  std::mutex source_mutex_;  // held while taking an item; locked before mutex_
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Place> places_;   // for items that were taken and not yet returned
  size_t first_index_ = 0;     // index of the first of places_
  size_t waiting_tokens_ = 0;  // in finished places
  size_t full_batches_ = 0;    // so far; full batches suggest that there is more to take
  bool has_ended_ = false;     // the source has ended; written with both mutexes held
  bool stop_ = false;
  std::exception_ptr source_failure_;
  std::exception_ptr failure_;  // an exception of any other kind
};

bool TextPipeline::Run::next(TextResult& result) {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    if (failure_) std::rethrow_exception(failure_);
    if (first_is_done()) break;
    if (progress_) {
      lock.unlock();
      report_progress();
      lock.lock();
      if (failure_ || first_is_done()) continue;
    }
    if (places_.empty() && has_ended_) {
      if (source_failure_) std::rethrow_exception(source_failure_);
      return false;
    }
    bool has_worked = false;
    if (!has_ended_ && has_room()) {
      const Wait wait = places_.empty() ? TextSource::kForever : kNoWait;
      lock.unlock();
      has_worked = work(wait, By::kCaller);
      lock.lock();
    }
    if (!has_worked) {  // another thread then computes the first batch, if there is one
      changed_.wait(lock, [&] { return places_.empty() || first_is_done() || failure_; });
    }
  }
  const bool was_full = !has_room();
  Place& place = places_.front();
  result = std::move(place.results[place.given++]);
  waiting_tokens_ -= tokens(result);
  returned_.tokens += tokens(result);
  result.input.is_last = place.given == place.results.size();
  if (result.input.is_last) {
    places_.pop_front();
    ++first_index_;
    ++returned_.texts;
  }
  const bool calls = was_full && has_room();
  lock.unlock();
  if (calls) changed_.notify_all();
  return true;
}

// Computes a batch. Returns false if the source had nothing.
bool TextPipeline::Run::work(Wait wait_for_first, By thread) {
  try {
    return fill_and_compute(wait_for_first, thread);
  } catch (...) {
    fail(std::current_exception());
    return true;
  }
}

// Called without mutex_.
void TextPipeline::Run::report_progress() {
  try {
    if (progress_(returned_)) return;
    throw Error(ErrorCode::kCancelled, "cancelled after " + number_of(returned_.texts, "text"));
  } catch (...) {
    fail(std::current_exception());
  }
}

void TextPipeline::Run::fail(std::exception_ptr failure) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    failure_ = std::move(failure);
    stop_ = true;
  }
  changed_.notify_all();
}

bool TextPipeline::Run::fill_and_compute(Wait wait_for_first, By thread) {
  Batch batch;
  Clock::time_point begin;
  while (!is_full(batch)) {
    TextItem item;
    size_t index = 0;
    State state = take(item, index, batch.items.empty() ? wait_for_first : kNoWait);
    if (batch.items.empty()) begin = Clock::now();
    if (state == State::kNotYet && !batch.items.empty()) {
      const Wait left = max_wait_ - std::chrono::duration_cast<Wait>(Clock::now() - begin);
      if (left > kNoWait) state = take(item, index, left);
    }
    if (state != State::kItem) break;
    add(std::move(item), index, batch);
  }
  if (batch.items.empty()) return false;
  if (is_full(batch)) call_helpers();
  if (runner_.computes()) compute(batch, thread);
  publish(std::move(batch));
  return true;
}

State TextPipeline::Run::take(TextItem& item, size_t& index, Wait wait) {
  const std::lock_guard<std::mutex> source_lock(source_mutex_);
  if (has_ended_) return State::kEnd;
  if (wait == TextSource::kForever) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!places_.empty()) wait = kNoWait;  // another thread has taken an item, and the item's result must not wait
  }
  std::exception_ptr failure;
  State state = State::kEnd;
  try {
    state = source_.next(item, wait);
  } catch (...) {
    failure = std::current_exception();
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  if (state == State::kItem) {
    index = first_index_ + places_.size();
    places_.emplace_back();
  } else if (state == State::kEnd) {
    has_ended_ = true;
    source_failure_ = failure;
  }
  return state;
}

void TextPipeline::Run::add(TextItem item, size_t index, Batch& batch) const {
  batch.items.push_back(runner_.cut(std::move(item), index));
  for (const TextResult& sequence : batch.items.back()) {
    batch.tokens += tokens(sequence);
    batch.longest = std::max(batch.longest, tokens(sequence));
  }
}

// Starts the helpers and wakes them. The first call comes from the thread that calls next().
void TextPipeline::Run::call_helpers() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (has_ended_ || stop_) return;  // the destructor may be joining helpers_
    ++full_batches_;
    try {
      while (helpers_.size() + 1 < threads_) helpers_.emplace_back([this] { help(); });
    } catch (const std::system_error& error) {
      if (needs_threads_) {
        throw Error(ErrorCode::kIo, "created " + std::to_string(helpers_.size() + 1) + " of " +
                                        std::to_string(threads_) + " threads: " + error.code().message());
      }
    }
  }
  changed_.notify_all();
}

void TextPipeline::Run::help() {
  size_t seen = 0;
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stop_ || has_ended_ || (full_batches_ != seen && has_room()); });
    if (stop_ || has_ended_) return;
    const size_t before = full_batches_;
    lock.unlock();
    const bool has_worked = work(kNoWait, By::kHelper);
    lock.lock();
    if (!has_worked) seen = before;
  }
}

// Computes passes of at most batch_tokens_ tokens.
void TextPipeline::Run::compute(Batch& batch, By thread) {
  std::vector<TextResult*> pass;
  size_t pass_tokens = 0;
  const auto flush = [&] {
    if (progress_ && thread == By::kCaller && !is_stopped()) report_progress();
    if (!is_stopped()) runner_.compute(pass);
    pass.clear();
    pass_tokens = 0;
  };
  for (std::vector<TextResult>& sequences : batch.items) {
    for (TextResult& sequence : sequences) {
      if (sequence.error) continue;
      if (pass_tokens + tokens(sequence) > batch_tokens_) flush();
      pass_tokens += tokens(sequence);
      pass.push_back(&sequence);
    }
  }
  flush();
}

void TextPipeline::Run::publish(Batch batch) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (std::vector<TextResult>& sequences : batch.items) {
      for (const TextResult& sequence : sequences) waiting_tokens_ += tokens(sequence);
      Place& place = places_[sequences.front().input.index - first_index_];
      place.results = std::move(sequences);
      place.is_done = true;
    }
  }
  changed_.notify_all();
}

TextPipeline::TextPipeline(const Model& model, const TextTask& task, TextSource& source, const TextOptions& options)
    : run_(std::make_unique<Run>(TextTaskRunner(model, task, options), model.threads(), source, options)) {}

TextPipeline::TextPipeline(const Tokenizer& tokenizer, TextSource& source, const TextOptions& options)
    : run_(std::make_unique<Run>(TextTaskRunner(tokenizer, options), available_cpus(), source, options)) {}

TextPipeline::~TextPipeline() = default;
bool TextPipeline::next(TextResult& result) { return run_->next(result); }
bool TextPipeline::ready() const { return run_->ready(); }

}  // namespace bert
