#include "models/config/family.h"

namespace bert {
namespace {

#define BERT_FAMILY(name) &name##_family,
constinit const Family* const kFamilies[] = {
#include "families.inc"
};
#undef BERT_FAMILY

}  // namespace

std::span<const Family* const> families() { return kFamilies; }

bool projects_embeddings(const ModelConfig& config, const Family& family) {
  return config.embedding_width() != config.hidden_size || family.projects_equal_sizes;
}

const Family* find_family(std::string_view model_type, std::string_view position_embedding_type) {
  const Family* of_any = nullptr;
  for (const Family* family : families()) {
    if (family->model_type != model_type) continue;
    if (family->position_embedding_type.empty()) {
      of_any = family;
    } else if (family->position_embedding_type == position_embedding_type) {
      return family;
    }
  }
  return of_any;
}

bool has_bias(Bias bias, const ModelConfig& config) {
  switch (bias) {
    case Bias::kAlways:
      return true;
    case Bias::kNever:
      return false;
    case Bias::kAttention:
      return config.attention_bias;
    case Bias::kFeedForward:
      return config.mlp_bias;
    case Bias::kNorm:
      return config.norm_bias;
    case Bias::kClassifier:
      return config.classifier_bias;
    case Bias::kDecoder:
      return config.decoder_bias;
  }
  return true;
}

ModelConfig default_config(const Family& family) {
  const ConfigDefaults& defaults = family.defaults;
  ModelConfig config;
  config.model_type = family.model_type;
  config.vocab_size = defaults.vocab_size;
  config.hidden_size = defaults.hidden_size;
  config.num_hidden_layers = defaults.num_hidden_layers;
  config.num_attention_heads = defaults.num_attention_heads;
  config.intermediate_size = defaults.intermediate_size;
  config.max_position_embeddings = defaults.max_position_embeddings;
  config.type_vocab_size = defaults.type_vocab_size;
  config.hidden_act = defaults.hidden_act;
  config.layer_norm_eps = defaults.layer_norm_eps;
  config.position_embedding_type = defaults.position_embedding_type;
  config.pad_token_id = defaults.pad_token_id;
  config.embedding_size = defaults.embedding_size;
  config.scales_embeddings = family.scales_embeddings;
  config.tie_word_embeddings = defaults.tie_word_embeddings;
  return config;
}

}  // namespace bert
