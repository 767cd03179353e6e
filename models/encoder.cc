#include "models/encoder.h"

#include <string>

#include "models/activations.h"

namespace bert {
namespace {

// Reads the layers' parameters with the shapes that the configuration asks for.
class LayerReader {
 public:
  LayerReader(const ModelConfig& config, const Family& family, WeightReader& weights)
      : config_(config), family_(family), weights_(weights), activation_(*find_activation(config.hidden_act)) {}

  Embeddings embeddings() {
    return Embeddings(table(family_.word_embeddings, config_.vocab_size),
                      table(family_.token_type_embeddings, config_.type_vocab_size),
                      table(family_.position_embeddings, config_.max_position_embeddings),
                      norm(std::string(family_.embeddings_norm)));
  }

  EncoderLayer layer(size_t index) {
    const auto name = [&](std::string_view pattern) {
      std::string text(pattern);
      return text.replace(text.find("{}"), 2, std::to_string(index));
    };
    const size_t hidden = config_.hidden_size;
    const size_t wide = config_.intermediate_size;
    return EncoderLayer(
        {.attention =
             SelfAttention(Linear({dense(name(family_.query), hidden, hidden), dense(name(family_.key), hidden, hidden),
                                   dense(name(family_.value), hidden, hidden)}),
                           config_.num_attention_heads),
         .attention_output = Linear({dense(name(family_.attention_output), hidden, hidden)}),
         .attention_norm = norm(name(family_.attention_norm)),
         .feed_forward = FeedForward(Linear({dense(name(family_.feed_forward_up), wide, hidden)}, activation_),
                                     Linear({dense(name(family_.feed_forward_down), hidden, wide)})),
         .output_norm = norm(name(family_.output_norm))});
  }

  std::optional<Pooler> pooler() {
    const std::string name(family_.pooler);
    if (!weights_.has(name + ".weight") && !weights_.has(name + ".bias")) return std::nullopt;
    return Pooler(Linear({dense(name, config_.hidden_size, config_.hidden_size)}, Activation::kTanh));
  }

 private:
  WeightView table(std::string_view name, size_t rows) {
    return weights_.matrix(std::string(name) + ".weight", rows, config_.hidden_size);
  }
  LinearPart dense(const std::string& name, size_t out, size_t in) {
    return {weights_.matrix(name + ".weight", out, in), weights_.vector(name + ".bias", out).data()};
  }
  LayerNorm norm(const std::string& name) {
    return LayerNorm(weights_.vector(name + ".weight", config_.hidden_size).data(),
                     weights_.vector(name + ".bias", config_.hidden_size).data(), config_.layer_norm_eps);
  }

  const ModelConfig& config_;
  const Family& family_;
  WeightReader& weights_;
  Activation activation_;
};

}  // namespace

Encoder::Encoder(const ModelConfig& config, const Family& family, WeightReader& weights)
    : embeddings_(LayerReader(config, family, weights).embeddings()) {
  LayerReader reader(config, family, weights);
  for (size_t layer = 0; layer < config.num_hidden_layers; ++layer) layers_.push_back(reader.layer(layer));
  pooler_ = reader.pooler();
}

void Encoder::forward(const RaggedBatch& batch, Execution& execution, ForwardObserver* observer) const {
  const MatrixView hidden = execution.workspace.hidden();
  embeddings_.forward(batch, hidden, execution);
  if (observer != nullptr) observer->hidden_state(0, hidden);
  for (size_t i = 0; i < layers_.size(); ++i) {
    layers_[i].attend(batch, hidden, execution);
    if (observer != nullptr) observer->attention(i, layers_[i].attention(), execution);
    layers_[i].feed(hidden, execution);
    if (observer != nullptr) observer->hidden_state(i + 1, hidden);
  }
}

void Encoder::pool(const RaggedBatch& batch, MatrixView pooled, Execution& execution) const {
  pooler_->forward(batch, execution.workspace.hidden(), pooled, execution);
}

}  // namespace bert
