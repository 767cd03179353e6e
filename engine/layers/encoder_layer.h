// One encoder layer as data, and its two blocks. The family chooses the norms before and after a block:
//   a = after(x + of(output(self_attention(before(x)))));   y = after(a + of(feed_forward(before(a)))).
// A layer may have several feed-forward networks in sequence.
// Sources: Devlin et al. 2019, a norm after each residual sum ("post-norm") as in Vaswani et al. 2017, section 3.1;
// Xiong et al. 2020, a norm before each block ("pre-norm"); Ding et al. 2021, also one of its output ("sandwich").
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "engine/layers/convolution.h"
#include "engine/layers/feed_forward.h"
#include "engine/layers/norm.h"
#include "engine/layers/self_attention.h"

namespace bert {

struct FeedForwardBlock {
  std::optional<Norm> norm_before = {};
  FeedForward network = {};
  std::optional<Norm> norm_of_output = {};
  std::optional<Norm> norm_after = {};
};

// Two dense layers around a layer that is narrower than the hidden states. Source: Sun et al. 2020, section 3.
struct Bottleneck {
  Linear enter = {};  // hidden to width(); the attention's output is added to its output
  Norm norm_of_entry = {};
  Linear leave = {};  // width() to hidden; its output is added to the hidden states
  Norm norm_after = {};

  size_t width() const { return enter.outs(); }
};

struct LayerSpec {
  std::optional<Norm> norm_before_attention = {};
  SelfAttention attention = {};
  std::optional<SpanConvolution> convolution = {};  // its outputs are appended to those of the heads
  Linear attention_output = {};
  std::optional<Norm> norm_of_attention = {};
  std::optional<Norm> norm_after_attention = {};
  std::vector<FeedForwardBlock> feed_forwards = {};
  std::optional<Bottleneck> bottleneck = {};

  size_t hidden() const { return bottleneck ? bottleneck->leave.outs() : attention_output.outs(); }
  size_t mixed_outputs() const { return attention.outputs() + (convolution ? convolution->outputs() : 0); }
};

// Changes the outputs of the attention heads, [tokens, heads * head_dim], before attention_output multiplies them.
using ChangeHeads = std::function<void(MatrixView heads)>;

// Computes a from x: the sum of x and the attention's output. hidden (x): [tokens, hidden]; attended (a): as wide as
// hidden, or as the bottleneck. Both must be different memory, and not the workspace's wide, context or beside matrix,
// which are overwritten. The queries and keys stay in the wide matrix for SelfAttention::probabilities, until
// feed_forward_blocks. change_heads: null: no change.
void attention_block(const LayerSpec& layer, const RaggedBatch& batch, ConstMatrixView hidden, MatrixView attended,
                     ExecutionContext& context, const ChangeHeads* change_heads = nullptr);

// Computes y from a, and writes it over x. attended (a), which is overwritten, and hidden (x, y) are as in
// attention_block.
void feed_forward_blocks(const LayerSpec& layer, MatrixView attended, MatrixView hidden, ExecutionContext& context);

}  // namespace bert
