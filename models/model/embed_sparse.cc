// Sparse vectors: a text's weights of the vocabulary's entries; and the similarity of such vectors.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "engine/layers/pooled_outputs.h"
#include "models/encoder/finite.h"
#include "models/model/model_impl.h"
#include "models/model/resolved_request.h"

namespace bert {
namespace {

// Returns the weights of the text's tokens; each token counts once.
SparseVector weights_of_tokens(const WeightView& table, std::span<const int32_t> ids, const KernelTable& kernels) {
  std::vector<int32_t> distinct(ids.begin(), ids.end());
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  SparseVector vector;
  for (const int32_t id : distinct) {
    float weight = 0;
    kernels.copy_row(&weight, table.row(static_cast<size_t>(id)), 1);
    if (weight == 0) continue;
    vector.ids.push_back(id);
    vector.weights.push_back(weight);
  }
  return vector;
}

// Keeps the weights with the largest absolute values, as the reference does.
void keep_largest(SparseVector& vector, size_t count) {
  if (vector.ids.size() <= count) return;
  std::vector<size_t> order(vector.ids.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return std::abs(vector.weights[a]) > std::abs(vector.weights[b]); });
  order.resize(count);
  std::sort(order.begin(), order.end());
  for (size_t i = 0; i < count; ++i) {
    vector.ids[i] = vector.ids[order[i]];
    vector.weights[i] = vector.weights[order[i]];
  }
  vector.ids.resize(count);
  vector.weights.resize(count);
}

void check_sparse(const SparseVector& vector) {
  const bool ascends = std::is_sorted(vector.ids.begin(), vector.ids.end(), std::less_equal<>());
  if (vector.ids.size() == vector.weights.size() && ascends) return;
  throw Error(ErrorCode::kInvalidArgument, "a sparse vector of " + std::to_string(vector.ids.size()) + " ids and " +
                                               std::to_string(vector.weights.size()) + " weights" +
                                               (ascends ? "" : ", whose ids do not ascend") +
                                               ", expected a weight for each id, ids ascending");
}

// Calls each(a's weight, b's weight) for every id in a or b.
template <class Each>
void for_all_ids(const SparseVector& a, const SparseVector& b, const Each& each) {
  for (size_t i = 0, j = 0; i < a.ids.size() || j < b.ids.size();) {
    const bool of_a = j == b.ids.size() || (i < a.ids.size() && a.ids[i] <= b.ids[j]);
    const bool of_b = i == a.ids.size() || (j < b.ids.size() && b.ids[j] <= a.ids[i]);
    each(of_a ? static_cast<double>(a.weights[i]) : 0.0, of_b ? static_cast<double>(b.weights[j]) : 0.0);
    i += of_a ? 1 : 0;
    j += of_b ? 1 : 0;
  }
}

}  // namespace

SparseSettings Model::sparse(const SparseOptions& options) const {
  const SentenceSettings& sentence = impl_->text.sentence;
  SparseSettings settings{.size = impl_->config.vocab_size, .max_active = sentence.max_active};
  if (sentence.sparse) {
    settings.declared = true;
    if (sentence.is_sparse_encoder) settings.similarity = similarity();
    settings.module = describe_module(*sentence.sparse);
    const auto* splade = std::get_if<SpladeModule>(&*sentence.sparse);
    if (splade != nullptr) require(Head::kMaskedLm);
    if (splade != nullptr && splade->width != 0 && splade->width != settings.size) {
      throw Error(ErrorCode::kInvalidFile,
                  impl_->model_named() + " has a vocabulary of " + std::to_string(settings.size) +
                      " entries, expected SpladePooling's embedding_dimension, " + std::to_string(splade->width));
    }
  } else if (sentence.pooling_refusal && sentence.is_sparse_encoder) {
    throw *sentence.pooling_refusal;
  } else if (impl_->encoder.plan.find(Head::kMaskedLm) != nullptr) {
    settings.module = describe_module(SparseModule{SpladeModule{}});
  } else {
    throw Error(ErrorCode::kNotFound,
                impl_->model_named() +
                    " makes no sparse vectors, expected a SparseEncoder's modules.json, a masked LM head or "
                    "sparse_linear/, which tools/convert_weights.py makes of BGE-M3's sparse_linear.pt");
  }
  chosen_prompt(*this, options.prompt, options.prompt_text);  // throws for an unknown name
  if (options.max_active) settings.max_active = options.max_active;
  if (settings.max_active == size_t{0}) {
    throw Error(ErrorCode::kInvalidArgument, "0 weights of a sparse vector requested, expected at least 1");
  }
  return settings;
}

bool runs_for_sparse(const Model& model) {
  const auto& module = ModelAccess::impl(model).text.sentence.sparse;
  return !module || !std::holds_alternative<TokenWeightsModule>(*module);
}

std::vector<SparseVector> sparse_vectors(const Model& model, const SparseKind& kind, ForwardPass& pass) {
  const Model::Impl& impl = ModelAccess::impl(model);
  const SparseModule module = impl.text.sentence.sparse.value_or(SpladeModule{});
  const RaggedBatch& batch = pass.batch();
  std::vector<SparseVector> vectors(batch.sequences());
  if (const auto* splade = std::get_if<SpladeModule>(&module)) {
    std::vector<PooledOutputs> pooled(vectors.size());
    pool_outputs(impl.encoder.plan.find(Head::kMaskedLm)->layers, pass.hidden(), batch, splade->pooling,
                 wide_columns(impl.encoder.plan), pass.context(), pooled);
    for (size_t i = 0; i < pooled.size(); ++i) {
      vectors[i] = {std::move(pooled[i].indices), std::move(pooled[i].values)};
    }
  } else if (impl.sentence.lexical) {
    vectors = impl.sentence.lexical->weights(pass);
  } else {
    for (size_t i = 0; i < vectors.size(); ++i) {
      vectors[i] = weights_of_tokens(impl.encoder.plan.embeddings.word,
                                     batch.ids.subspan(batch.row_starts[i], batch.length(i)), pass.context().kernels);
    }
  }
  for (size_t i = 0; i < vectors.size(); ++i) {
    if (!all_finite(vectors[i].weights)) refuse_not_finite(batch, i, "the sparse vector");
    if (kind.max_active) keep_largest(vectors[i], *kind.max_active);
  }
  return vectors;
}

double similarity(SimilarityFunction function, const SparseVector& a, const SparseVector& b) {
  check_sparse(a);
  check_sparse(b);
  double dot = 0, a_squares = 0, b_squares = 0, difference_squares = 0, differences = 0;
  for_all_ids(a, b, [&](double x, double y) {
    dot += x * y;
    a_squares += x * x;
    b_squares += y * y;
    difference_squares += (x - y) * (x - y);
    differences += std::abs(x - y);
  });
  const double norms = std::sqrt(a_squares) * std::sqrt(b_squares);
  switch (function) {
    case SimilarityFunction::kCosine:
      return norms == 0 ? 0 : std::clamp(dot / norms, -1.0, 1.0);  // rounding may exceed 1
    case SimilarityFunction::kDot:
      return dot;
    case SimilarityFunction::kEuclidean:
      return 0 - std::sqrt(difference_squares);  // 0, not -0, for equal vectors
    case SimilarityFunction::kManhattan:
      return 0 - differences;
  }
  return 0;
}

}  // namespace bert
