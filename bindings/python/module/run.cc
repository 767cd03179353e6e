#include "bindings/python/module/run.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "bindings/python/module/interpreter_lock.h"

namespace bert::python {
namespace nb = nanobind;
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kSignals{50};

TextOptions to_text_options(const Model& model, const RunOptions& options) {
  TextOptions text = options.reading.value_or(TextOptions{});
  if (!text.tokenize) text.tokenize = default_tokenize_options(model, options.task);
  if (options.max_length) text.tokenize->max_length = *options.max_length;
  text.tokenize->only_ids = std::holds_alternative<VectorRequest>(options.task);
  text.batch_tokens = options.batch_tokens;
  return text;
}

}  // namespace

Run::Run(nb::object model, nb::iterator texts, const RunOptions& options)
    : model_(std::move(model)),
      call_(options.call),
      source_(std::move(texts), nb::cast<const Model&>(model_).threads()) {
  const Model& the_model = nb::cast<const Model&>(model_);
  const TextOptions how = to_text_options(the_model, options);
  if (call_) {
    task_ = std::make_unique<TaskRun>(the_model, *call_, source_, how);
  } else {
    pipeline_ = std::make_unique<TextPipeline>(the_model, options.task, source_, how);
  }
}

void Run::close() {
  if (!pipeline_ && !task_) return;
  const Unlocked unlock;
  pipeline_.reset();
  task_.reset();
}

size_t Run::fill(const Rows& out) {
  if (!pipeline_) return 0;
  const Unlocked unlock;
  source_.set_caller(std::this_thread::get_id());
  const Clock::time_point end = Clock::now() + kSignals;
  const size_t size = out.shape(1);
  size_t rows = 0;
  TextResult result;
  while (rows < out.shape(0) && (rows == 0 || (Clock::now() < end && pipeline_->ready())) && take(result)) {
    float* row = out.data() + rows++ * size;
    if (result.error) {
      failures_.emplace_back(result.input.index, *result.error);
      std::fill_n(row, size, std::numeric_limits<float>::quiet_NaN());
    } else {
      const std::vector<float>& vector = result.vectors().dense;
      if (vector.size() != size) throw nb::value_error("out has rows of another size than the vectors");
      std::copy_n(vector.begin(), size, row);
    }
  }
  return rows;
}

std::optional<Result> Run::next() {
  if (!pipeline_ && !task_) return std::nullopt;
  std::vector<TextResult> windows;
  std::optional<TaskOutput> output;
  std::optional<Error> error;
  {
    const Unlocked unlock;
    source_.set_caller(std::this_thread::get_id());
    if (task_) {
      output = take_task(windows, error);
    } else if (!take(windows.emplace_back())) {
      return std::nullopt;
    } else {
      error = windows.front().error;
    }
  }
  if (windows.empty()) return std::nullopt;
  if (error) throw Error(error->code(), "texts[" + std::to_string(texts_++) + "]: " + error->what());
  ++texts_;
  return Result(model_, std::move(output), std::move(windows));
}

// Sets the sequences of the next text, and returns its output or sets its error. `windows` stays empty at the end.
std::optional<TaskOutput> Run::take_task(std::vector<TextResult>& windows, std::optional<Error>& error) {
  const bool is_there = task_->next();
  if (source_.interruption()) std::rethrow_exception(source_.interruption());
  if (!is_there) return std::nullopt;
  if (task_->query() != nullptr && !std::exchange(query_is_counted_, true)) count(*task_->query());
  for (const TextResult& one : task_->sequences()) count(one);
  std::optional<TaskOutput> output;
  error = task_->error();
  try {
    if (!error) output = task_->result();
  } catch (const Error& of_result) {
    error = of_result;
  }
  for (TextResult& one : task_->sequences()) windows.push_back(std::move(one));
  return output;
}

// Returns false at the end.
bool Run::take(TextResult& result) {
  const bool is_there = pipeline_->next(result);
  if (source_.interruption()) std::rethrow_exception(source_.interruption());
  if (is_there) count(result);
  return is_there;
}

void Run::count(const TextResult& result) {
  if (result.input.window.value_or(0) == 0) ++counts_.texts;
  counts_.tokens += result.tokens.encoding.size();
  if (result.tokens.encoding.truncated_tokens > 0) ++counts_.truncated_texts;
  counts_.truncated_tokens += result.tokens.encoding.truncated_tokens;
  const size_t coarse_rows = result.tokens.coarse_rows();
  if (coarse_rows == 0) return;
  counts_.coarse_rows += coarse_rows;
  if (result.input.index != last_coarse_) ++counts_.coarse_texts;
  last_coarse_ = result.input.index;
}

}  // namespace bert::python
