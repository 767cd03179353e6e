#include "bert/explore.h"

#include <utility>

#include "models/finite.h"
#include "models/model_impl.h"

namespace bert {
namespace {

std::string position_type(Positions positions) {
  switch (positions) {
    case Positions::kNative:
      return "";
    case Positions::kLearned:
      return "absolute";
    case Positions::kSinusoidal:
      return "sinusoidal";
    case Positions::kNone:
      return "none";
  }
  return "";
}

}  // namespace

Model load_with_positions(const std::string& name, Positions positions, const LoadOptions& options) {
  return ModelAccess::load(name, options, position_type(positions));
}

Model builtin_with_positions(Positions positions, const LoadOptions& options) {
  return ModelAccess::builtin(options, position_type(positions));
}

EmbeddingParts embedding_parts(const Model& model, const TokenSequence& sequence) {
  const Model::Impl& impl = ModelAccess::impl(model);
  const Embeddings& embeddings = impl.plan.embeddings;
  ForwardPass pass = impl.forward_pass({&sequence, 1});
  const RaggedBatch& batch = pass.batch();
  ExecutionContext& context = pass.context();
  EmbeddingParts parts;
  parts.tokens = batch.tokens();
  parts.hidden = embeddings.width();
  const auto rows = [&](std::vector<float>& values) {
    values.resize(parts.tokens * parts.hidden);
    return MatrixView{values.data(), parts.tokens, parts.hidden, parts.hidden};
  };
  embeddings.words(batch, rows(parts.word), context);
  if (embeddings.position || embeddings.sinusoid) embeddings.positions(batch, rows(parts.position), context);
  if (embeddings.token_type) embeddings.token_types(batch, rows(parts.segment), context);
  embeddings.sum(batch, rows(parts.sum), context);
  embeddings.normalized(batch, rows(parts.normalized), context);
  for (const auto& [values, name] : {std::pair{&parts.word, "word vectors"},
                                     {&parts.position, "position vectors"},
                                     {&parts.segment, "segment vectors"},
                                     {&parts.sum, "sums of them"},
                                     {&parts.normalized, "normalized sums"}}) {
    if (!all_finite(*values)) refuse_not_finite(batch, 0, std::string("the embeddings' ") + name);
  }
  return parts;
}

PositionTable position_table(const Model& model) {
  const Model::Impl& impl = ModelAccess::impl(model);
  const std::optional<WeightView>& vectors = impl.plan.embeddings.position;
  if (!vectors) {
    throw Error(ErrorCode::kNotFound, impl.model_named() + " has no learned position vectors, its positions are " +
                                          impl.config.position_embedding_type);
  }
  Backend::Lease lease(impl.backend, workspace_shape(impl.plan, 1, 1, 1, impl.backend.threads()));
  PositionTable table{vectors->rows, vectors->cols, {}};
  table.values.resize(table.positions * table.hidden);
  copy_table(*vectors, {table.values.data(), table.positions, table.hidden, table.hidden}, lease.context());
  if (!all_finite(table.values)) {
    throw Error(ErrorCode::kNonFinite,
                "a NaN or an infinity in " + impl.model_named() + "'s position vectors, expected finite numbers");
  }
  return table;
}

}  // namespace bert
