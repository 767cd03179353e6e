#include "engine/layers/self_attention.h"

#include <cmath>

namespace bert {

// One head's part of the [tokens, query | key | value] matrix, with the scratch of the thread in `slot`.
AttentionArgs SelfAttention::head_args(const RaggedBatch& batch, size_t sequence, size_t head, size_t slot,
                                       Execution& execution) const {
  const MatrixView qkv = execution.workspace.qkv();
  const size_t hidden = qkv.cols / 3;
  const size_t head_dim = hidden / heads_;
  const size_t length = batch.length(sequence);
  const float* q = qkv.row(batch.starts[sequence]) + head * head_dim;
  AttentionArgs args{};
  args.q = q;
  args.k = q + hidden;
  args.v = q + 2 * hidden;
  args.stride = qkv.stride;
  args.length = length;
  args.head_dim = head_dim;
  args.scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(head_dim)));
  args.scratch = execution.workspace.thread_scratch()[slot].data;
  if (relative_) {
    float* behind = args.scratch + round_up(attention_scratch_floats(length, head_dim), kAlignment);
    relative_->set_terms(args, batch.places.subspan(batch.starts[sequence], length), head, heads_, behind,
                         execution.kernels);
  }
  return args;
}

void SelfAttention::forward(const RaggedBatch& batch, ConstMatrixView x, MatrixView y, Execution& execution) const {
  qkv_.forward(x, execution.workspace.qkv(), execution);
  execution.pool.run(batch.sequences() * heads_, [&](size_t task, size_t slot) {
    const size_t sequence = task / heads_;
    const size_t head = task % heads_;
    AttentionArgs args = head_args(batch, sequence, head, slot, execution);
    args.context = y.row(batch.starts[sequence]) + head * args.head_dim;
    args.context_stride = y.stride;
    execution.kernels.attention(args);
  });
}

void SelfAttention::probabilities(const RaggedBatch& batch, size_t sequence, float* probabilities,
                                  Execution& execution) const {
  const size_t length = batch.length(sequence);
  execution.pool.run(heads_, [&](size_t head, size_t slot) {
    AttentionArgs args = head_args(batch, sequence, head, slot, execution);
    args.context = probabilities + head * length * length;
    args.context_stride = length;
    execution.kernels.attention_probabilities(args);
  });
}

}  // namespace bert
