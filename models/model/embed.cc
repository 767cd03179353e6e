// Model::embed: one vector per text, with the caller's pooling or that of the model's files.
#include <algorithm>

#include "engine/base/floating_point.h"
#include "engine/base/joined.h"
#include "engine/base/quote.h"
#include "models/encoder/finite.h"
#include "models/model/model_impl.h"
#include "models/model/resolved_request.h"
#include "models/sentence/pooling.h"

namespace bert {
namespace {

// Avoids the batch and the workspace of a forward pass, which take longer than the mean.
void embed_by_rows(const Model::Impl& model, const StaticModule& module, std::span<const TokenSequence> sequences,
                   Normalizing normalizing, MatrixView vectors) {
  const WeightView& table = model.encoder.plan.embeddings.word;
  const KernelTable& kernels = model.backend.kernels();
  const DefaultFloatingPoint mode;
  std::vector<float> whole(table.cols);
  std::vector<int32_t> kept;
  for (size_t i = 0; i < sequences.size(); ++i) {
    const TokenSequence& sequence = sequences[i];
    const std::string where = sequences.size() == 1 ? "" : "sequence " + std::to_string(i) + ": ";
    check_sequence(sequence, model.config, where);
    std::span<const int32_t> ids = sequence.ids;
    if (std::find(sequence.attention_mask.begin(), sequence.attention_mask.end(), 0) != sequence.attention_mask.end()) {
      kept.clear();
      for (size_t token = 0; token < ids.size(); ++token) {
        if (sequence.attention_mask[token] != 0) kept.push_back(ids[token]);
      }
      ids = kept;
    }
    mean_of_rows(table, ids, module.unknown_id, kernels, whole);
    if (!all_finite(whole)) {
      throw Error(ErrorCode::kNonFinite, where + "a NaN or an infinity in the pooled output, expected finite numbers");
    }
    finish_vectors({whole.data(), 1, whole.size(), whole.size()}, normalizing, vectors.row_range(i, 1));
  }
}

// The model's files cut after normalising, as the reference does; a caller's cut comes before.
Normalizing normalizing(const PoolingSettings& settings, const EmbedOptions& options) {
  if (!settings.normalize) return Normalizing::kNever;
  const bool files_cut = !options.dimensions && !options.normalize.value_or(false);
  return files_cut ? Normalizing::kBeforeCut : Normalizing::kAfterCut;
}

}  // namespace

PoolingSettings Model::pooling() const { return impl_->text.sentence.pooling; }

SimilarityFunction Model::similarity() const {
  const std::string& given = impl_->text.sentence.similarity_fn;
  const bool is_sparse = impl_->text.sentence.is_sparse_encoder;
  if (given.empty()) return is_sparse ? SimilarityFunction::kDot : SimilarityFunction::kCosine;
  std::string names;
  for (const SimilarityFunction known : {SimilarityFunction::kCosine, SimilarityFunction::kDot,
                                         SimilarityFunction::kEuclidean, SimilarityFunction::kManhattan}) {
    if (given == name(known)) return known;
    names.append(names.empty() ? "" : ", ").append(name(known));
  }
  throw Error(ErrorCode::kUnsupported, "similarity_fn_name " + quote(given, 60) + " of " + impl_->model_named() +
                                           " is not supported, expected one of " + names);
}

size_t Model::embedding_size(const EmbedOptions& options) const {
  const size_t whole = impl_->sentence.modules.width(options.pooling);
  if (!options.dimensions) return std::min(impl_->text.sentence.pooling.dimensions.value_or(whole), whole);
  if (*options.dimensions >= 1 && *options.dimensions <= whole) return *options.dimensions;
  throw Error(ErrorCode::kInvalidArgument, std::to_string(*options.dimensions) +
                                               " dimensions requested, expected 1 to " + std::to_string(whole) +
                                               ", the model's");
}

std::string Model::prompt(const std::optional<std::string>& name) const {
  const SentenceSettings& sentence = impl_->text.sentence;
  if (!name && sentence.default_prompt.empty()) return "";
  const auto found = sentence.prompts.find(name.value_or(sentence.default_prompt));
  if (found != sentence.prompts.end()) return found->second;
  const std::string names = joined(sentence.prompts, ", ", [](const auto& prompt) { return prompt.first; });
  throw Error(ErrorCode::kNotFound, "prompt " + quote(*name, 60) + " is not in " + impl_->model_named() +
                                        ", expected " + (names.empty() ? "none: it has no prompts" : names));
}

std::vector<std::string> Model::prompt_names() const {
  std::vector<std::string> names;
  for (const auto& [name, text] : impl_->text.sentence.prompts) names.push_back(name);
  return names;
}

std::string Model::default_prompt_name() const { return impl_->text.sentence.default_prompt; }

// Returns the caller's options, else those of the model's files; throws if they cannot be applied.
PoolingSettings Model::pooling(const EmbedOptions& options) const {
  const SentenceSettings& sentence = impl_->text.sentence;
  PoolingSettings settings = sentence.pooling;
  if (options.pooling) {
    settings.modes.assign(1, *options.pooling);
  } else if (sentence.pooling_refusal) {
    throw *sentence.pooling_refusal;
  }
  if (options.normalize) settings.normalize = *options.normalize;
  if (!chosen_prompt(*this, options.prompt, options.prompt_text).empty() && sentence.prompt_refusal)
    throw *sentence.prompt_refusal;
  embedding_size(options);
  if (options.pooling.value_or(PoolingMode::kMean) != PoolingMode::kMean && !impl_->sentence.modules.reads_tokens()) {
    throw Error(ErrorCode::kInvalidArgument, "pooling " + quote(name(*options.pooling), 40) + " requested, but " +
                                                 impl_->model_named() + " is static, expected mean: of its rows");
  }
  if (options.pooling == PoolingMode::kPooler && !has_pooler()) {
    throw Error(ErrorCode::kNotFound, "pooling 'pooler' requested, but " + impl_->model_named() +
                                          " has no pooler (pooler.dense.weight), expected cls, mean or max");
  }
  return settings;
}

void Model::embed(std::span<const TokenSequence> sequences, std::span<float> vectors, const EmbedOptions& given) const {
  EmbedOptions options = given;
  if (!options.prompt && !options.prompt_text) options.prompt_text = "";  // a default prompt is only put before texts
  const size_t size = embedding_size(options);
  if (vectors.size() != sequences.size() * size) {
    throw Error(ErrorCode::kInvalidArgument, "room for " + std::to_string(vectors.size()) + " numbers, expected " +
                                                 std::to_string(sequences.size()) + " sequences times " +
                                                 std::to_string(size));
  }
  dense_vectors(*this, resolve(*this, options), sequences, {vectors.data(), sequences.size(), size, size});
}

DenseKind resolve(const Model& model, const EmbedOptions& options) {
  return {.pooling = options.pooling,
          .normalizing = normalizing(model.pooling(options), options),
          .size = model.embedding_size(options)};
}

void dense_vectors(const Model& model, const DenseKind& kind, std::span<const TokenSequence> batch,
                   MatrixView vectors) {
  const Model::Impl& impl = ModelAccess::impl(model);
  if (const StaticModule* rows = impl.sentence.modules.static_alone()) {
    return embed_by_rows(impl, *rows, batch, kind.normalizing, vectors);
  }
  ForwardPass pass = ModelAccess::forward_pass(model, batch);
  if (impl.sentence.modules.reads_tokens()) pass.run();
  dense_vectors(model, kind, pass, vectors);
}

void dense_vectors(const Model& model, const DenseKind& kind, ForwardPass& pass, MatrixView vectors) {
  Matrix whole = ModelAccess::impl(model).sentence.modules.forward(pass, kind.pooling);
  finish_vectors(whole.view(), kind.normalizing, vectors);
}

std::string not_additive(const Model& model, const DenseKind& kind) {
  return ModelAccess::impl(model).sentence.modules.not_additive(kind.pooling);
}

std::vector<Matrix> dense_terms(const Model& model, const DenseKind& kind, std::span<const TokenSequence> batch) {
  const Model::Impl& impl = ModelAccess::impl(model);
  ForwardPass pass = ModelAccess::forward_pass(model, batch);
  if (impl.sentence.modules.reads_tokens()) pass.run();
  return impl.sentence.modules.terms(pass, kind.pooling);
}

std::vector<float> Model::embed(std::span<const TokenSequence> sequences, const EmbedOptions& options) const {
  std::vector<float> vectors(sequences.size() * embedding_size(options));
  embed(sequences, vectors, options);
  return vectors;
}

}  // namespace bert
