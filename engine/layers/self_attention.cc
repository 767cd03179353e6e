#include "engine/layers/self_attention.h"

#include <algorithm>
#include <cmath>

namespace bert {
namespace {

// A task computes at most this many queries of a head; each task copies the keys that its queries see.
constexpr size_t kQueriesPerTask = 512;

size_t queries_per_task(const SelfAttention& attention, size_t length) {
  return std::min(length, attention.relative ? RelativePositions::kMaxQueries : kQueriesPerTask);
}

struct Queries {
  size_t first, count;
  bool are_global = false;
};

size_t global_tokens(const SelfAttention& attention, const RaggedBatch& batch, size_t sequence) {
  return attention.global.parts.empty() || batch.global_counts.empty() ? 0 : batch.global_counts[sequence];
}

// Attention uses the arithmetic of its layer's products.
const AttentionKernels& kernels_of(const SelfAttention& attention, const ExecutionContext& context) {
  const bool is_bfloat16 = attention.qkv.parts.front().weight.arithmetic == ProductArithmetic::kBFloat16;
  return is_bfloat16 ? context.kernels.bfloat16_attention : context.kernels.attention;
}

// Normalises `heads` heads, starting at `first`.   x: [tokens, at least (first + heads) * norm's size]
void normalize_heads(const Norm& norm, MatrixView x, size_t first, size_t heads, size_t head_dim,
                     ExecutionContext& context) {
  context.pool.run_rows(x.rows, [&](size_t begin, size_t rows) {
    for (size_t row = begin; row < begin + rows; ++row) {
      const MatrixView of_token{x.row(row) + first * head_dim, heads, head_dim, head_dim};
      norm.rows(of_token, of_token, context.kernels);
    }
  });
}

// Returns one head's part of the [tokens, query | key | value] matrix, with the scratch of thread `slot`.
AttentionArgs head_args(const SelfAttention& attention, const RaggedBatch& batch, size_t sequence, size_t head,
                        Queries queries, size_t slot, ExecutionContext& context) {
  const MatrixView qkv = context.workspace.wide(attention.wide_columns());
  const size_t length = batch.length(sequence);
  const size_t key_head = head * attention.key_heads / attention.heads;
  const float* first = qkv.row(batch.row_starts[sequence]) + (queries.are_global ? attention.qkv.outs() : 0);
  AttentionArgs args{};
  args.q = first + head * attention.head_dim;
  args.k = first + (attention.heads + key_head) * attention.head_dim;
  args.v = args.k + attention.key_heads * attention.head_dim;
  args.stride = qkv.stride;
  args.length = batch.keys(sequence);
  args.head_dim = attention.head_dim;
  args.scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(attention.score_width)));
  args.soft_cap = attention.soft_cap;
  args.first_query = queries.first;
  args.queries = queries.count;
  args.window = queries.are_global ? kNoWindow : attention.window;
  args.is_causal = attention.is_causal;
  args.global_keys = queries.are_global ? 0 : global_tokens(attention, batch, sequence);
  if (attention.window != kNoWindow) args.places = batch.places.data() + batch.row_starts[sequence];
  if (attention.sinks != nullptr) args.sink = attention.sinks + head;
  args.scratch = context.workspace.thread_scratch()[slot].data;
  if (attention.relative) {
    float* behind = args.scratch + round_up(attention_scratch_floats(length, attention.head_dim), kAlignment);
    attention.relative->set_attention_bias(args, batch.places.subspan(batch.row_starts[sequence], length), head,
                                           attention.heads, behind, context.kernels);
  }
  return args;
}

}  // namespace

void SelfAttention::forward(const RaggedBatch& batch, ConstMatrixView x, MatrixView y,
                            ExecutionContext& context) const {
  const MatrixView wide = context.workspace.wide(wide_columns());
  const MatrixView projected{wide.data, x.rows, qkv.outs(), wide.stride};
  qkv.forward(x, projected, context);
  if (convolution) return convolution->forward(batch, projected, y, context);
  size_t most_global = 0;
  for (size_t i = 0; i < batch.sequences(); ++i) most_global = std::max(most_global, global_tokens(*this, batch, i));
  if (most_global > 0) {
    global.forward(x, {wide.data + qkv.outs(), x.rows, global.outs(), wide.stride}, context);
  }
  if (query_norm) normalize_heads(*query_norm, projected, 0, heads, head_dim, context);
  if (key_norm) normalize_heads(*key_norm, projected, heads, key_heads, head_dim, context);
  if (rotary_table) {
    const MatrixView table = context.workspace.rotary_table(*rotary_table);
    rotate(projected, heads + key_heads, table.row_range(batch.first_row, x.rows), rotary_pairs, context);
  }
  size_t longest = 0;
  for (size_t i = 0; i < batch.sequences(); ++i) longest = std::max(longest, batch.length(i));
  const size_t queries = queries_per_task(*this, longest);
  // are_global: true: each sequence's global tokens, which come first; false: the other tokens.
  const auto attend = [&](size_t most, bool are_global) {
    const size_t parts = (most + queries - 1) / queries;
    context.pool.run(batch.sequences() * heads * parts, [&](size_t task, size_t slot) {
      const size_t sequence = task / (heads * parts);
      const size_t head = task / parts % heads;
      const size_t globals = global_tokens(*this, batch, sequence);
      const size_t first = std::max(task % parts * queries, are_global ? 0 : globals);
      const size_t end = std::min((task % parts + 1) * queries, are_global ? globals : batch.length(sequence));
      if (first >= end) return;
      AttentionArgs args = head_args(*this, batch, sequence, head, {first, end - first, are_global}, slot, context);
      args.context = y.row(batch.row_starts[sequence] + first) + head * head_dim;
      args.context_stride = y.stride;
      kernels_of(*this, context).context(args);
    });
  };
  attend(longest, false);
  if (most_global > 0) attend(most_global, true);
}

void SelfAttention::probabilities(const RaggedBatch& batch, size_t sequence, float* probabilities,
                                  ExecutionContext& context) const {
  const size_t length = batch.length(sequence);
  context.pool.run(heads, [&](size_t head, size_t slot) {
    const size_t queries = queries_per_task(*this, length);
    const size_t globals = global_tokens(*this, batch, sequence);
    for (size_t first = 0, end = 0; first < length; first = end) {
      end = std::min(first + queries, first < globals ? globals : length);
      AttentionArgs args =
          head_args(*this, batch, sequence, head, {first, end - first, first < globals}, slot, context);
      args.context = probabilities + (head * length + first) * length;
      args.context_stride = length;
      kernels_of(*this, context).probabilities(args);
      for (size_t query = 0; query < args.queries; ++query) {
        std::fill(args.context + query * length + args.length, args.context + (query + 1) * length, 0.0f);
      }
    }
  });
}

}  // namespace bert
