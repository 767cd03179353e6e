#include "models/pipeline/computation.h"

#include <algorithm>
#include <variant>

#include "models/pipeline/computations.h"

namespace bert {

Computation::Computation(const Model& model)
    : model_(&model), tokenizer_(model.has_tokenizer() ? &model.tokenizer() : nullptr) {}

std::vector<TextResult> Computation::cut(TextItem item) const {
  if (item.words && !takes_words()) throw Error(ErrorCode::kInvalidText, "words where a text must be");
  std::vector<TextResult> results = sequences(item);
  for (TextResult& result : results) {
    if (tokenizer_ != nullptr) result.tokens.unknown_tokens = count_unknown(*tokenizer_, result.tokens.encoding);
    if (model_ == nullptr) continue;
    try {
      model_->check(sequence(result));
    } catch (const Error& error) {
      result.error = error;
    }
  }
  return results;
}

// Ids are used unchanged; only the model knows what to leave out of an encoding.
TokenSequence Computation::sequence(const TextResult& result) const {
  if (!result.tokens.from_text || model_ == nullptr)
    return {result.tokens.encoding.ids, result.tokens.encoding.type_ids};
  return model_->sequence(result.tokens.encoding);
}

std::vector<TokenSequence> Computation::batch_of(std::span<TextResult* const> pass) const {
  std::vector<TokenSequence> batch;
  batch.reserve(pass.size());
  for (TextResult* result : pass) {
    batch.push_back(sequence(*result));
    batch.back().coarse_rows_by_layer = &result->tokens.coarse_rows_by_layer;
  }
  return batch;
}

size_t count_unknown(const Tokenizer& tokenizer, const Encoding& encoding) {
  const std::optional<int32_t> unknown = tokenizer.model_unknown_id();
  if (!unknown) return 0;
  return static_cast<size_t>(std::count(encoding.ids.begin(), encoding.ids.end(), *unknown));
}

TokenizeOptions ids_alone(const Model& model, const VectorRequest& request) {
  TokenizeOptions options = default_tokenize_options(model, request);
  options.only_ids = true;
  return options;
}

std::unique_ptr<const Computation> make_computation(const Model& model, const TextTask& task,
                                                    const TextOptions& options) {
  if (options.tokenize) check_max_length(options.tokenize->max_length, model.max_positions());
  TextRules rules{options.tokenize.value_or(default_tokenize_options(model, task)), options.windows,
                  options.fits_stride, options.reserve};
  TokenizeOptions& tokenize = rules.tokenize;
  if (rules.fits_stride && tokenize.max_length > 0)
    tokenize.stride = std::min(tokenize.stride, tokenize.max_length / 2);
  return std::visit([&](const auto& request) { return computation_of(model, request, rules); }, task);
}

ComputationPtr computation_of(const Model& model, const ModelTaskPtr& task, const TextRules& rules) {
  return task->computation(model, rules);
}

std::unique_ptr<const Computation> make_computation(const Tokenizer& tokenizer, const TextOptions& options) {
  return computation_of(tokenizer,
                        {options.tokenize.value_or(TokenizeOptions{}), options.windows, options.fits_stride});
}

}  // namespace bert
