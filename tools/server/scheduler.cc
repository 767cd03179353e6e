#include "tools/server/scheduler.h"

#include <algorithm>
#include <exception>
#include <span>
#include <utility>

namespace bert::server {
namespace {

using Clock = Job::Clock;

constexpr size_t kBatchTokens = 2048;       // enough rows to share each weight that is read
constexpr size_t kMostThreadsWithLess = 4;  // further threads do not make batches smaller
constexpr auto kRateTime = std::chrono::seconds(2);

// The two jobs' texts of these indexes may be computed in one pass.
bool may_share_a_pass(const Job& a, size_t text_of_a, const Job& b, size_t text_of_b) {
  const Computation &x = a.computation, &y = b.computation;
  return a.model == b.model && x.output == y.output && x.embed.normalize == y.embed.normalize &&
         x.embed.dimensions == y.embed.dimensions && x.embed.pooling == y.embed.pooling &&
         a.texts[text_of_a].role == b.texts[text_of_b].role;
}

// Throws the Error that every text would have; returns the text that goes before each.
std::string check_job(const Job& job) {
  const Model& model = job.model->model;
  switch (job.computation.output) {
    case Output::kVector:
      model.tokenizer();
      model.pooling(job.computation.embed);
      return model.prompt(job.computation.embed);
    case Output::kSparse:
      model.sparse();
      [[fallthrough]];
    case Output::kTokenVectors:
    case Output::kTokens:
      model.tokenizer();
      return model.prompt(job.computation.embed);
    case Output::kMultiVector:
      token_vector_settings(model);
      model.tokenizer();
      break;
    case Output::kLogits:
      model.require(Head::kSequenceClassification);
      model.tokenizer();
      break;
  }
  return "";
}

SchedulerOptions resolved(SchedulerOptions options) {
  if (options.batch_tokens == 0) options.batch_tokens = kBatchTokens / std::min(options.threads, kMostThreadsWithLess);
  return options;
}

// The ids with the special tokens that the model's tokenizer puts around a text.
Encoding encoding_of_ids(const ServedModel& served, const std::vector<int32_t>& ids, size_t max_length) {
  const size_t special = served.ids_before.size() + served.ids_after.size();
  const size_t room = max_length > special ? max_length - special : 0;
  Encoding encoding;
  encoding.ids = served.ids_before;
  encoding.ids.insert(encoding.ids.end(), ids.begin(),
                      ids.begin() + static_cast<std::ptrdiff_t>(std::min(room, ids.size())));
  encoding.ids.insert(encoding.ids.end(), served.ids_after.begin(), served.ids_after.end());
  encoding.truncated_tokens = ids.size() - std::min(room, ids.size());
  encoding.type_ids.resize(encoding.ids.size());
  encoding.attention_mask.resize(encoding.ids.size(), 1);
  return encoding;
}

}  // namespace

Scheduler::Scheduler(const SchedulerOptions& options, std::function<void(size_t, size_t)> batch_computed)
    : options_(resolved(options)), batch_computed_(std::move(batch_computed)), rated_at_(Clock::now()) {
  for (size_t i = 0; i < options_.threads; ++i) threads_.emplace_back([this] { work(); });
}

Scheduler::~Scheduler() {
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

bool Scheduler::submit(const std::shared_ptr<Job>& job) {
  job->prompt_ = check_job(*job);
  for (const InputText& text : job->texts) job->bytes_ += text.bytes();
  job->outputs.resize(job->texts.size());
  job->queued_at_ = Clock::now();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (texts_ + job->texts.size() > options_.max_texts || bytes_ + job->bytes_ > options_.max_bytes) return false;
    texts_ += job->texts.size();
    bytes_ += job->bytes_;
    turns_.push_back(job);
  }
  changed_.notify_one();
  return true;
}

void Scheduler::cancel(const std::shared_ptr<Job>& job) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (job->is_cancelled_ || job->ready_ == job->texts.size()) return;
  job->is_cancelled_ = true;
  texts_ -= job->texts.size();
  bytes_ -= job->bytes_;
  turns_.erase(std::remove(turns_.begin(), turns_.end(), job), turns_.end());
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

void Scheduler::work() {
  while (true) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [&] { return stop_ || !turns_.empty(); });
      if (stop_) return;
    }
    Batch batch;
    size_t tokens = 0, longest = 0;
    Taken taken;
    while (take(batch.empty() ? nullptr : &batch.front(), taken)) {
      tokenize(taken);
      tokens += taken.text.encoding.size();
      longest = std::max(longest, taken.text.encoding.size());
      batch.push_back(std::move(taken));
      if (tokens + longest > options_.batch_tokens) break;
    }
    if (batch.empty()) continue;
    std::vector<Taken*> pass;
    for (Taken& one : batch) {
      if (!one.job->outputs[one.index].error) pass.push_back(&one);
    }
    compute(std::move(pass));
    if (batch_computed_) batch_computed_(batch.size(), tokens);
    deliver(batch);
  }
}

// The next text that may share a pass with `like` (null: any). The job's next text comes after one of each other job.
bool Scheduler::take(const Taken* like, Taken& taken) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto turn = std::find_if(turns_.begin(), turns_.end(), [&](const std::shared_ptr<Job>& job) {
    return like == nullptr || may_share_a_pass(*job, job->next_, *like->job, like->index);
  });
  if (turn == turns_.end() || stop_) return false;
  const std::shared_ptr<Job> job = *turn;
  turns_.erase(turn);
  if (job->next_ == 0) {
    job->taken_at_ = Clock::now();
    job->queue_time = job->taken_at_ - job->queued_at_;
  }
  taken = {job, job->next_++, {}};
  if (job->next_ < job->texts.size()) turns_.push_back(job);
  return true;
}

TokenSequence Scheduler::Taken::sequence() const {
  const Model& model = job->model->model;
  return job->computation.output == Output::kMultiVector ? bert::sequence(model, text) : model.sequence(text.encoding);
}

void Scheduler::tokenize(Taken& taken) {
  const Clock::time_point begin = Clock::now();
  Job& job = *taken.job;
  const InputText& input = job.texts[taken.index];
  TextOutput& output = job.outputs[taken.index];
  const Model& model = job.model->model;
  Encoding& encoding = taken.text.encoding;
  try {
    TokenizeOptions options = job.computation.tokenize;
    const bool only_tokens = job.computation.output == Output::kTokens;
    if (job.computation.output == Output::kMultiVector) {
      taken.text = bert::tokenize(model, input.text, input.role, options);
      options.max_length = encoding.size();
    } else {
      if (options.max_length == 0 && !only_tokens) options.max_length = model.max_length();
      encoding = input.ids    ? encoding_of_ids(*job.model, *input.ids, options.max_length)
                 : input.pair ? model.tokenizer().tokenize(input.text, *input.pair, options)
                              : model.tokenizer().tokenize(job.prompt_ + input.text, options);
    }
    output.tokens = encoding.size();
    output.truncated_tokens = encoding.truncated_tokens;
    if (output.truncated_tokens > 0 && !job.computation.may_truncate) {
      output.is_too_long = true;
      throw Error(ErrorCode::kInvalidText, std::to_string(output.tokens + output.truncated_tokens) +
                                               " tokens, expected at most " + std::to_string(options.max_length));
    }
    if (!only_tokens) model.check(taken.sequence());
  } catch (const Error& error) {
    output.error = error;
    taken.text = {};
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  job.tokenize_time += Clock::now() - begin;
}

// A failed pass is divided until the failing text is alone; the others' numbers do not change.
void Scheduler::compute(std::vector<Taken*> pass) {
  if (pass.empty()) return;
  std::string failure;
  try {
    run(pass);
    return;
  } catch (const Error& error) {
    if (pass.size() == 1) pass.front()->job->outputs[pass.front()->index].error = error;
  } catch (const std::exception& error) {  // out of memory
    failure = error.what();
  }
  if (pass.size() == 1) {
    TextOutput& output = pass.front()->job->outputs[pass.front()->index];
    if (!output.error) output.error = Error(ErrorCode::kIo, failure);
    return;
  }
  const auto middle = pass.begin() + static_cast<std::ptrdiff_t>(pass.size() / 2);
  compute({pass.begin(), middle});
  compute({middle, pass.end()});
}

void Scheduler::run(const std::vector<Taken*>& pass) {
  const Job& job = *pass.front()->job;
  const Model& model = job.model->model;
  std::vector<TokenSequence> sequences;
  for (const Taken* taken : pass) sequences.push_back(taken->sequence());
  const auto output_of = [&](size_t i) -> TextOutput& { return pass[i]->job->outputs[pass[i]->index]; };
  if (job.computation.output == Output::kVector) {
    EmbedOptions options = job.computation.embed;
    options.prompt.reset();
    options.prompt_text = "";  // it is in the ids
    const std::vector<float> rows = model.embed(sequences, options);
    const std::span<const float> all(rows);
    const size_t size = rows.size() / pass.size();
    for (size_t i = 0; i < pass.size(); ++i) {
      const std::span<const float> row = all.subspan(i * size, size);
      output_of(i).values.assign(row.begin(), row.end());
      output_of(i).rows = 1;
    }
  } else if (job.computation.output == Output::kSparse) {
    std::vector<SparseVector> vectors = model.embed_sparse(sequences, {.prompt_text = ""});  // it is in the ids
    for (size_t i = 0; i < pass.size(); ++i) output_of(i).sparse = std::move(vectors[i]);
  } else if (job.computation.output == Output::kTokenVectors) {
    std::vector<EncodedSequence> encoded = model.encode(sequences);
    for (size_t i = 0; i < pass.size(); ++i) {
      output_of(i).values = std::move(encoded[i].last_hidden_state);
      output_of(i).rows = encoded[i].tokens;
    }
  } else if (job.computation.output == Output::kMultiVector) {
    std::vector<TokenVectors> vectors = embed_tokens(model, sequences, job.texts[pass.front()->index].role);
    for (size_t i = 0; i < pass.size(); ++i) {
      output_of(i).values = std::move(vectors[i].values);
      output_of(i).rows = vectors[i].tokens.size();
    }
  } else if (job.computation.output == Output::kTokens) {
    for (Taken* taken : pass) taken->job->outputs[taken->index].encoding = std::move(taken->text.encoding);
  } else {
    std::vector<Logits> logits = model.logits(Head::kSequenceClassification, sequences);
    for (size_t i = 0; i < pass.size(); ++i) {
      output_of(i).values = std::move(logits[i].values);
      output_of(i).rows = 1;
    }
  }
}

void Scheduler::deliver(Batch& batch) {
  std::vector<std::shared_ptr<Job>> finished;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const Clock::time_point now = Clock::now();
    for (const Taken& taken : batch) {
      Job& job = *taken.job;
      if (++job.ready_ < job.texts.size() || job.is_cancelled_) continue;
      job.compute_time = std::max(now - job.taken_at_ - job.tokenize_time, Clock::duration::zero());
      texts_ -= job.texts.size();
      bytes_ -= job.bytes_;
      finished.push_back(taken.job);
    }
    rated_texts_ += batch.size();
    if (now - rated_at_ > kRateTime) {
      texts_per_second_ = static_cast<double>(rated_texts_) / std::chrono::duration<double>(now - rated_at_).count();
      rated_texts_ = 0;
      rated_at_ = now;
    }
  }
  batch.clear();
  for (const std::shared_ptr<Job>& job : finished) job->finished(*job);
}

}  // namespace bert::server
