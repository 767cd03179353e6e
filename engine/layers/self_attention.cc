#include "engine/layers/self_attention.h"

#include <cmath>

namespace bert {
namespace {

// One head's part of the [tokens, query | key | value] matrix.
AttentionArgs head_args(const RaggedBatch& batch, size_t sequence, size_t head, size_t heads, MatrixView qkv) {
  const size_t hidden = qkv.cols / 3;
  const size_t head_dim = hidden / heads;
  const float* q = qkv.row(batch.starts[sequence]) + head * head_dim;
  AttentionArgs args{};
  args.q = q;
  args.k = q + hidden;
  args.v = q + 2 * hidden;
  args.stride = qkv.stride;
  args.length = batch.length(sequence);
  args.head_dim = head_dim;
  args.scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(head_dim)));
  return args;
}

}  // namespace

void SelfAttention::forward(const RaggedBatch& batch, ConstMatrixView x, MatrixView y, Execution& execution) const {
  const MatrixView qkv = execution.workspace.qkv();
  qkv_.forward(x, qkv, execution);
  const auto scratch = execution.workspace.thread_scratch();
  execution.pool.run(batch.sequences() * heads_, [&](size_t task, size_t slot) {
    const size_t sequence = task / heads_;
    const size_t head = task % heads_;
    AttentionArgs args = head_args(batch, sequence, head, heads_, qkv);
    args.context = y.row(batch.starts[sequence]) + head * args.head_dim;
    args.context_stride = y.stride;
    args.scratch = scratch[slot].data;
    execution.kernels.attention(args);
  });
}

void SelfAttention::probabilities(const RaggedBatch& batch, size_t sequence, float* probabilities,
                                  Execution& execution) const {
  const size_t length = batch.length(sequence);
  const auto scratch = execution.workspace.thread_scratch();
  execution.pool.run(heads_, [&](size_t head, size_t slot) {
    AttentionArgs args = head_args(batch, sequence, head, heads_, execution.workspace.qkv());
    args.context = probabilities + head * length * length;
    args.context_stride = length;
    args.scratch = scratch[slot].data;
    execution.kernels.attention_probabilities(args);
  });
}

}  // namespace bert
