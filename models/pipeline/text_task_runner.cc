// Runs a task over texts. A text that fails gets an error in place of its result. A pass that fails is divided into
// smaller ones.
#include <algorithm>
#include <iterator>
#include <new>
#include <optional>
#include <typeinfo>
#include <utility>

#include "bert/text_pipeline.h"
#include "engine/base/work_control.h"
#include "models/pipeline/computation.h"

namespace bert {
namespace {

constexpr size_t kMostThreadsWithLess = 4;  // more threads do not make batches smaller

std::vector<TextResult> failed(Error error) {
  std::vector<TextResult> results(1);
  results[0].error = std::move(error);
  return results;
}

}  // namespace

TokenizeOptions default_tokenize_options(const Model& model, const TextTask& task) {
  const auto* request = std::get_if<VectorRequest>(&task);
  const bool is_by_role = request != nullptr && request->tokenizes_by_role();
  return {.max_length = is_by_role ? 0 : model.max_length()};
}

struct TextTaskRunner::Impl {
  Impl(std::unique_ptr<const Computation> computation_given, const TextOptions& options)
      : computation(std::move(computation_given)), batch_tokens(options.batch_tokens) {}

  // Computes the results that have no error yet; the others stay as they are.
  void compute(std::span<TextResult* const> given) const;

  const std::unique_ptr<const Computation> computation;
  const size_t batch_tokens;
};

void TextTaskRunner::Impl::compute(std::span<TextResult* const> given) const {
  std::vector<TextResult*> pass;
  std::copy_if(given.begin(), given.end(), std::back_inserter(pass), [](TextResult* one) { return !one->error; });
  if (pass.empty()) return;
  std::optional<Error> failure;
  try {
    return computation->run(pass);
  } catch (const Error& error) {
    failure = error;
  } catch (const std::bad_alloc&) {
    failure = Error(ErrorCode::kOutOfMemory, "not enough memory for a forward pass of this text");
  }
  if (pass.size() == 1 || failure->code() == ErrorCode::kCancelled) {
    for (TextResult* one : pass) one->error = failure;
    return;
  }
  const std::span<TextResult* const> all = pass;
  compute(all.first(all.size() / 2));
  compute(all.subspan(all.size() / 2));
}

TextTaskRunner::TextTaskRunner(const Model& model, const TextTask& task, const TextOptions& options)
    : impl_(std::make_unique<const Impl>(make_computation(model, task, options), options)) {}
TextTaskRunner::TextTaskRunner(const Tokenizer& tokenizer, const TextOptions& options)
    : impl_(std::make_unique<const Impl>(make_computation(tokenizer, options), options)) {}
TextTaskRunner::~TextTaskRunner() = default;
TextTaskRunner::TextTaskRunner(TextTaskRunner&&) noexcept = default;
TextTaskRunner& TextTaskRunner::operator=(TextTaskRunner&&) noexcept = default;

std::vector<TextResult> TextTaskRunner::cut(TextItem item, size_t index) const {
  std::any tag = std::move(item.tag);
  std::vector<TextResult> results;
  try {
    if (item.error) throw *item.error;
    results = impl_->computation->cut(std::move(item));
  } catch (const Error& error) {
    results = failed(error);
  } catch (const std::bad_alloc&) {
    results = failed(Error(ErrorCode::kOutOfMemory, "not enough memory for the tokens of this text"));
  }
  for (TextResult& result : results) result.input.index = index;
  for (size_t i = 0; i + 1 < results.size(); ++i) results[i].input.tag = tag;
  results.back().input.tag = std::move(tag);
  return results;
}

bool TextTaskRunner::shares_passes_with(const TextTaskRunner& other) const {
  const Computation &a = *impl_->computation, &b = *other.impl_->computation;
  return a.model() == b.model() && typeid(a) == typeid(b) && a.shares_passes_with(b);
}

void TextTaskRunner::compute(std::span<TextResult* const> pass, const std::function<bool()>& goes_on) const {
  const WorkControl control(goes_on);
  if (computes()) impl_->compute(pass);
}

bool TextTaskRunner::computes() const { return impl_->computation->computes(); }
bool TextTaskRunner::reads_texts() const { return impl_->computation->reads_texts(); }

size_t TextTaskRunner::pass_tokens(size_t threads) const {
  if (impl_->batch_tokens > 0) return impl_->batch_tokens;
  return impl_->computation->pass_tokens() / std::min(threads, kMostThreadsWithLess);
}

}  // namespace bert
