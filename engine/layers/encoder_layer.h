// One encoder layer as data, and its two blocks:
//   a = norm(x + output(self_attention(x)));   y = norm(a + feed_forward(a)).
// Source: Devlin et al. 2019; a norm after each residual sum ("post-norm") as in Vaswani et al. 2017, section 3.1.
#pragma once

#include "engine/layers/feed_forward.h"
#include "engine/layers/norm.h"
#include "engine/layers/self_attention.h"

namespace bert {

struct LayerSpec {
  SelfAttention attention;
  Linear attention_output;
  Norm attention_norm;
  FeedForward feed_forward;
  Norm output_norm;
};

// hidden: [tokens, hidden]. Writes the sum after attention to the workspace's attended matrix. The queries and keys
// stay in the workspace for SelfAttention::probabilities; feed_forward_block reuses their memory.
void attention_block(const LayerSpec& layer, const RaggedBatch& batch, ConstMatrixView hidden,
                     ExecutionContext& context);

// From the attended matrix to `hidden`, [tokens, hidden].
void feed_forward_block(const LayerSpec& layer, MatrixView hidden, ExecutionContext& context);

}  // namespace bert
