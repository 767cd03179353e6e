#include "bert/explore.h"

#include <algorithm>
#include <utility>

#include "models/encoder/finite.h"
#include "models/encoder/recorder.h"
#include "models/model/model_impl.h"

namespace bert {
namespace {

// Records each layer's output, then replaces it by the given state, except for the last layer.
class StateReplacement final : public ForwardObserver {
 public:
  StateReplacement(std::span<const float> states, std::span<float> outputs) : states_(states), outputs_(outputs) {}

  void hidden_state(size_t index, MatrixView hidden) override {
    const size_t size = hidden.rows * hidden.cols;
    if (index > 0) Recorder::copy_rows(hidden, outputs_.data() + (index - 1) * size);
    if (index * size == outputs_.size()) return;
    for (size_t row = 0; row < hidden.rows; ++row) {
      std::copy_n(states_.data() + index * size + row * hidden.cols, hidden.cols, hidden.row(row));
    }
  }
  void attention(size_t, const SelfAttention&, ExecutionContext&) override {}

 private:
  std::span<const float> states_;
  std::span<float> outputs_;
};

}  // namespace

EmbeddingParts embedding_parts(const Model& model, const TokenSequence& sequence) {
  const Model::Impl& impl = ModelAccess::impl(model);
  const Embeddings& embeddings = impl.encoder.plan.embeddings;
  ForwardPass pass = ModelAccess::forward_pass(model, {&sequence, 1});
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

bool has_position_table(const Model& model) {
  return ModelAccess::impl(model).encoder.plan.embeddings.position.has_value();
}

PositionTable position_table(const Model& model) {
  const Model::Impl& impl = ModelAccess::impl(model);
  const std::optional<WeightView>& vectors = impl.encoder.plan.embeddings.position;
  if (!vectors) {
    throw Error(ErrorCode::kNotFound, impl.model_named() + " has no learned position vectors, its positions are " +
                                          impl.config.position_embedding_type);
  }
  Backend::Lease lease(impl.backend, workspace_shape(impl.encoder.plan, 1, 1, 1, impl.backend.threads()));
  PositionTable table{vectors->rows, vectors->cols, {}};
  table.values.resize(table.positions * table.hidden);
  copy_table(*vectors, {table.values.data(), table.positions, table.hidden, table.hidden}, lease.context());
  if (!all_finite(table.values)) {
    throw Error(ErrorCode::kNonFinite,
                "a NaN or an infinity in " + impl.model_named() + "'s position vectors, expected finite numbers");
  }
  return table;
}

std::vector<float> layer_outputs(const Model& model, const TokenSequence& sequence, std::span<const float> states) {
  const EncodeSizes sizes = model.sizes(sequence);
  if (states.size() != sizes.hidden_states) {
    throw Error(ErrorCode::kInvalidArgument,
                std::to_string(states.size()) + " numbers in the hidden states, expected " +
                    std::to_string(sizes.hidden_states) + " for " + std::to_string(sizes.tokens) + " tokens");
  }
  std::vector<float> outputs(sizes.hidden_states - sizes.last_hidden_state);
  StateReplacement replacement(states, outputs);
  ForwardPass pass = ModelAccess::forward_pass(model, {&sequence, 1});
  pass.run(&replacement);
  if (!all_finite(outputs)) refuse_not_finite(pass.batch(), 0, "a layer's output");
  return outputs;
}

}  // namespace bert
