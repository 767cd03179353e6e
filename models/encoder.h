// The encoder as the paper draws it: embeddings, then the layers, then maybe the pooler. Immutable; several threads may
// run it at once, each with an Execution (workspace) of its own.
#pragma once

#include <optional>
#include <vector>

#include "bert/config.h"
#include "engine/layers/embeddings.h"
#include "engine/layers/encoder_layer.h"
#include "engine/layers/pooler.h"
#include "engine/layers/prediction_head.h"
#include "models/family.h"

namespace bert {

// Sees a forward pass from inside; what is shown is valid during the call only.
class ForwardObserver {
 public:
  virtual ~ForwardObserver() = default;
  // After the embeddings (index 0) and after each layer.   hidden: [tokens, hidden]
  virtual void hidden_state(size_t index, ConstMatrixView hidden) = 0;
  // After a layer's attention, while attention.probabilities() can be asked. Layers that a group runs one after another
  // are counted apart.
  virtual void attention(size_t layer, const SelfAttention& attention, Execution& execution) = 0;
};

class Encoder {
 public:
  // Asks `weights` for every tensor that the configuration needs, and for the pooler's and the heads' that are there.
  Encoder(const ModelConfig& config, const Family& family, WeightReader& weights);

  // Leaves the last hidden state, [tokens, hidden], in execution.workspace.hidden(), which was prepared for the batch.
  void forward(const RaggedBatch& batch, Execution& execution, ForwardObserver* observer = nullptr) const;

  const Embeddings& embeddings() const { return embeddings_; }

  // Which heads there are, in the family's order.
  const std::vector<Head>& heads() const { return head_names_; }
  const PredictionHead& head(Head name) const;
  HeadInput head_input(Head name) const;

  // Which of the checkpoint's tensors are the encoder's and the pooler's, and not only a head's.
  const std::vector<bool>& tensors() const { return tensors_; }

  bool has_pooler() const { return pooler_.has_value(); }
  // After forward().   pooled: [sequences, hidden]
  void pool(const RaggedBatch& batch, MatrixView pooled, Execution& execution) const;

 private:
  class LayerReader;
  Encoder(const ModelConfig& config, const Family& family, LayerReader reader);
  size_t place_of(Head name) const;

  Embeddings embeddings_;
  std::vector<EncoderLayer> layers_;
  std::vector<std::vector<size_t>> passes_;  // which layers run between one hidden state and the next
  std::optional<Pooler> pooler_;
  std::vector<bool> tensors_;
  std::vector<Head> head_names_;
  std::vector<HeadInput> head_inputs_;
  std::vector<PredictionHead> heads_;
};

}  // namespace bert
