// One encoder layer, LayerNorm after each residual sum ("post-LN"), as BERT has it:
//   a = LayerNorm(x + dense(self_attention(x)));   y = LayerNorm(a + feed_forward(a)).
#pragma once

#include "engine/layers/feed_forward.h"
#include "engine/layers/layer_norm.h"
#include "engine/layers/self_attention.h"

namespace bert {

class EncoderLayer {
 public:
  struct Parts {
    SelfAttention attention;
    Linear attention_output;
    LayerNorm attention_norm;
    FeedForward feed_forward;
    LayerNorm output_norm;
  };
  explicit EncoderLayer(Parts parts) : parts_(std::move(parts)) {}

  // A layer's forward pass is attend(), then feed(). Between them the queries and keys are still in the workspace, for
  // SelfAttention::probabilities to read; feed() reuses their memory.   hidden: [tokens, hidden], updated by feed().
  void attend(const RaggedBatch& batch, ConstMatrixView hidden, Execution& execution) const;
  void feed(MatrixView hidden, Execution& execution) const;

  const SelfAttention& attention() const { return parts_.attention; }

 private:
  Parts parts_;
};

}  // namespace bert
