#include "python/module/run.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "python/module/interpreter_lock.h"

namespace bert::python {
namespace nb = nanobind;
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kSignals{50};

TextOptions to_text_options(const Model& model, const RunOptions& options) {
  const bool makes_vectors = std::holds_alternative<VectorRequest>(options.task);
  TokenizeOptions tokenize = default_tokenize_options(model, options.task);
  if (options.max_length) tokenize.max_length = *options.max_length;
  tokenize.truncation = options.refuses_long_texts ? Truncation::kError : options.truncation;
  tokenize.stride = options.stride;
  tokenize.pair_tokens = options.pair_tokens;
  tokenize.only_ids = makes_vectors;
  if (options.windows) tokenize.max_windows = kMostWindows;
  return {.tokenize = tokenize,
          .windows = options.windows,
          .fits_stride = options.fits_stride,
          .batch_tokens = options.batch_tokens};
}

}  // namespace

Run::Run(nb::object model, nb::iterator texts, const RunOptions& options)
    : model_(std::move(model)), source_(std::move(texts), nb::cast<const Model&>(model_).threads()) {
  const Model& the_model = nb::cast<const Model&>(model_);
  pipeline_ = std::make_unique<TextPipeline>(the_model, options.task, source_, to_text_options(the_model, options));
}

void Run::close() {
  if (!pipeline_) return;
  const Unlocked unlock;
  pipeline_.reset();
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
      failures_.emplace_back(result.index, *result.error);
      std::fill_n(row, size, std::numeric_limits<float>::quiet_NaN());
    } else {
      if (result.vectors.dense.size() != size) throw nb::value_error("out has rows of another size than the vectors");
      std::copy_n(result.vectors.dense.begin(), size, row);
    }
  }
  return rows;
}

std::optional<Result> Run::next() {
  if (!pipeline_) return std::nullopt;
  std::vector<TextResult> windows;
  {
    const Unlocked unlock;
    source_.set_caller(std::this_thread::get_id());
    TextResult window;
    do {
      if (!take(window)) return std::nullopt;
      windows.push_back(std::move(window));
    } while (!windows.back().is_last);
  }
  for (const TextResult& window : windows) {
    if (window.error) {
      throw Error(window.error->code(), "texts[" + std::to_string(window.index) + "]: " + window.error->what());
    }
  }
  return Result(model_, std::move(windows));
}

// False at the end.
bool Run::take(TextResult& result) {
  const bool is_there = pipeline_->next(result);
  if (source_.interruption()) std::rethrow_exception(source_.interruption());
  if (is_there) count(result);
  return is_there;
}

void Run::count(const TextResult& result) {
  if (result.window.value_or(0) == 0) ++counts_.texts;
  counts_.tokens += result.encoding.size();
  if (result.encoding.truncated_tokens > 0) ++counts_.truncated_texts;
  counts_.truncated_tokens += result.encoding.truncated_tokens;
  const size_t coarse_rows = result.coarse_rows();
  if (coarse_rows == 0) return;
  counts_.coarse_rows += coarse_rows;
  if (result.index != last_coarse_) ++counts_.coarse_texts;
  last_coarse_ = result.index;
}

}  // namespace bert::python
