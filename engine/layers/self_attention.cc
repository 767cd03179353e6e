#include "engine/layers/self_attention.h"

#include <cmath>

namespace bert {
namespace {

// One head's part of the [tokens, query | key | value] matrix, with the scratch of thread `slot`.
AttentionArgs head_args(const SelfAttention& attention, const RaggedBatch& batch, size_t sequence, size_t head,
                        size_t slot, ExecutionContext& context) {
  const MatrixView qkv = context.workspace.wide(attention.qkv.outs());
  const size_t width = attention.heads * attention.head_dim;
  const size_t length = batch.length(sequence);
  const float* q = qkv.row(batch.row_starts[sequence]) + head * attention.head_dim;
  AttentionArgs args{};
  args.q = q;
  args.k = q + width;
  args.v = q + 2 * width;
  args.stride = qkv.stride;
  args.length = length;
  args.head_dim = attention.head_dim;
  args.scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(attention.head_dim * attention.score_terms)));
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
  qkv.forward(x, context.workspace.wide(qkv.outs()), context);
  context.pool.run(batch.sequences() * heads, [&](size_t task, size_t slot) {
    const size_t sequence = task / heads;
    const size_t head = task % heads;
    AttentionArgs args = head_args(*this, batch, sequence, head, slot, context);
    args.context = y.row(batch.row_starts[sequence]) + head * head_dim;
    args.context_stride = y.stride;
    context.kernels.attention(args);
  });
}

void SelfAttention::probabilities(const RaggedBatch& batch, size_t sequence, float* probabilities,
                                  ExecutionContext& context) const {
  const size_t length = batch.length(sequence);
  context.pool.run(heads, [&](size_t head, size_t slot) {
    AttentionArgs args = head_args(*this, batch, sequence, head, slot, context);
    args.context = probabilities + head * length * length;
    args.context_stride = length;
    context.kernels.attention_probabilities(args);
  });
}

}  // namespace bert
