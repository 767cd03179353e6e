// Model::logits: a head's outputs for a batch.
#include <algorithm>

#include "engine/base/joined.h"
#include "models/encoder/finite.h"
#include "models/model/model_impl.h"
#include "models/sentence/pooling.h"

namespace bert {
namespace {

// The rows that a head reads, concatenated over all sequences, and the number of rows of each sequence.
struct HeadRows {
  Matrix computed;  // holds `rows` if they are computed from the tokens
  ConstMatrixView rows;
  std::vector<size_t> counts;
};

// Makes one row for each sequence, which `fill` computes.
template <class Fill>
HeadRows row_a_sequence(ForwardPass& pass, const Fill& fill) {
  const size_t sequences = pass.batch().sequences();
  HeadRows result{Matrix(sequences, pass.hidden().cols), {}, std::vector<size_t>(sequences, 1)};
  fill(result.computed.view());
  result.rows = result.computed.view();
  return result;
}

// rows: of one sequence; mean: [rows.cols]
void mean_of_rows(const RaggedBatch& batch, size_t sequence, ConstMatrixView rows, float* mean) {
  const std::span<const int32_t> places = batch.places.subspan(batch.row_starts[sequence], rows.rows);
  pool_tokens(PoolingMode::kMean, rows, places, {mean, rows.cols});
}

// Returns the row of a sequence's last token that is not `padding`; if all are padding, its first.
size_t last_token(const RaggedBatch& batch, size_t sequence, int32_t padding) {
  size_t row = batch.row_starts[sequence + 1] - 1;
  while (row > batch.row_starts[sequence] && batch.ids[row] == padding) --row;
  return row;
}

HeadRows token_rows(ForwardPass& pass, HeadInput input, int32_t padding, const LogitsOptions& options) {
  const RaggedBatch& batch = pass.batch();
  const ConstMatrixView hidden = pass.hidden();
  const MatrixView chosen = pass.context().workspace.context(hidden.cols);
  HeadRows result;
  size_t next = 0;
  for (size_t i = 0; i < batch.sequences(); ++i) {
    const size_t before = next;
    size_t token = batch.row_starts[i], end = batch.row_starts[i + 1];
    if (input == HeadInput::kLastToken) token = last_token(batch, i, padding);
    if (input == HeadInput::kFirstToken || input == HeadInput::kLastToken) end = token + 1;
    for (; token < end; ++token) {
      const bool wanted = input != HeadInput::kEachToken || !options.only_id || *options.only_id == batch.ids[token];
      if (wanted) std::copy_n(hidden.row(token), hidden.cols, chosen.row(next++));
    }
    result.counts.push_back(next - before);
  }
  result.rows = chosen.row_range(0, next);
  return result;
}

HeadRows input_rows(ForwardPass& pass, HeadInput input, int32_t padding, const LogitsOptions& options) {
  switch (input) {
    case HeadInput::kPooled:
      return row_a_sequence(pass, [&](MatrixView rows) { pass.pool(rows); });
    case HeadInput::kMeanToken:
      return row_a_sequence(pass, [&](MatrixView rows) {
        for (size_t i = 0; i < rows.rows; ++i) mean_of_rows(pass.batch(), i, pass.hidden(i), rows.row(i));
      });
    default:
      return token_rows(pass, input, padding, options);
  }
}

// Returns one row for each sequence.
std::vector<Logits> rows_of(const Matrix& values) {
  std::vector<Logits> results;
  for (size_t i = 0; i < values.rows(); ++i) {
    const float* row = values.view().row(i);
    results.push_back({.rows = 1, .outputs = values.cols(), .values = {row, row + values.cols()}});
  }
  return results;
}

}  // namespace

void Model::require(Head head) const {
  if (impl_->modules_of(head) != nullptr) return;
  const HeadSpec* found = impl_->encoder.plan.find(head);
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorCode::kNotFound, impl_->model_named() + " has " + what);
  };
  if (found == nullptr) {
    const std::string names = joined(heads(), ", ", [](Head other) { return name(other); });
    refuse("no head for " + std::string(name(head)) +
           (names.empty() ? ", nor any other" : "; it has those for " + names));
  } else if (found->input == HeadInput::kPooled && !has_pooler()) {
    refuse("a head for " + std::string(name(head)) + " and no pooler, which that reads");
  }
}

LogitsSizes Model::logits_sizes(Head head, const TokenSequence& sequence) const {
  require(head);
  if (const ModuleChain* modules = impl_->modules_of(head)) return {1, modules->width()};
  const HeadSpec& spec = *impl_->encoder.plan.find(head);
  const size_t rows = spec.input == HeadInput::kEachToken ? sizes(sequence).tokens : 1;
  return {rows, spec.layers.output.outs()};
}

std::vector<Logits> Model::logits(Head head, std::span<const TokenSequence> sequences,
                                  const LogitsOptions& options) const {
  require(head);
  ForwardPass pass = ModelAccess::forward_pass(*this, sequences);
  pass.run();
  if (const ModuleChain* modules = impl_->modules_of(head)) return rows_of(modules->forward(pass, std::nullopt));
  const HeadSpec& spec = *impl_->encoder.plan.find(head);
  const HeadRows input = input_rows(pass, spec.input, impl_->config.pad_token_id, options);
  const size_t outputs = spec.layers.output.outs();
  Matrix values(input.rows.rows, outputs);
  if (input.rows.rows > 0) {
    pass.run_layers(input.counts, [&] { spec.layers.forward(input.rows, values.view(), pass.context()); });
  }
  std::vector<Logits> results(sequences.size());
  size_t first = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    const float* from = values.view().row(first);
    results[i] = {.rows = input.counts[i], .outputs = outputs, .values = {from, from + input.counts[i] * outputs}};
    if (spec.input == HeadInput::kMeanOfOutputs) {
      mean_of_rows(pass.batch(), i, values.view().row_range(first, input.counts[i]), results[i].values.data());
      results[i].values.resize(outputs);
      results[i].rows = 1;
    }
    if (!all_finite(results[i].values)) {
      refuse_not_finite(pass.batch(), i, "the outputs of the head for " + std::string(name(head)));
    }
    first += input.counts[i];
  }
  return results;
}

}  // namespace bert
