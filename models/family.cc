#include "models/family.h"

namespace bert {
namespace {

#define BERT_FAMILY(name) &name##_family,
constinit const Family* const kFamilies[] = {
#include "families.inc"
};
#undef BERT_FAMILY

}  // namespace

std::span<const Family* const> families() { return kFamilies; }

const Family* find_family(std::string_view model_type) {
  for (const Family* family : families()) {
    if (family->model_type == model_type) return family;
  }
  return nullptr;
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
  config.type_vocab_size = defaults.type_vocab_size;
  config.hidden_act = defaults.hidden_act;
  config.layer_norm_eps = defaults.layer_norm_eps;
  config.position_embedding_type = defaults.position_embedding_type;
  config.pad_token_id = defaults.pad_token_id;
  config.embedding_size = defaults.embedding_size;
  return config;
}

}  // namespace bert
