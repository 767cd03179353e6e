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

  // hidden: [tokens, hidden], in place.
  void forward(const RaggedBatch& batch, MatrixView hidden, Execution& execution) const;

  const SelfAttention& attention() const { return parts_.attention; }

  // The first half alone, whose queries and keys SelfAttention::probabilities reads before the second half reuses their
  // memory. forward() is attend() and then feed().
  void attend(const RaggedBatch& batch, ConstMatrixView hidden, Execution& execution) const;
  void feed(MatrixView hidden, Execution& execution) const;

 private:
  Parts parts_;
};

}  // namespace bert
