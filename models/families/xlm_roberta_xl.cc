// XLM-RoBERTa-XL: XLM-RoBERTa with a norm before each block, one after all layers, and no norm of the embeddings.
#include "models/families/roberta.h"

namespace bert {
namespace {

constexpr Family make_xlm_roberta_xl() {
  Family family = make_sentencepiece_roberta("xlm-roberta-xl", "XLMRobertaXL", kXlmRobertaPieces);
  family.defaults.vocab_size = 250880;
  family.defaults.hidden_size = 2560;
  family.defaults.num_hidden_layers = 36;
  family.defaults.num_attention_heads = 32;
  family.defaults.intermediate_size = 10240;
  family.defaults.max_position_embeddings = 514;
  family.defaults.type_vocab_size = 1;
  family.defaults.layer_norm_eps = 1e-5;
  family.names.embeddings_norm = "";
  family.names.norm_before_attention = "encoder.layer.{}.attention.self_attn_layer_norm";
  family.names.norm_after_attention = "";
  family.names.norm_before_feed_forward = "encoder.layer.{}.LayerNorm";
  family.names.norm_after_feed_forward = "";
  family.names.final_norm = "encoder.LayerNorm";
  return family;
}

}  // namespace

constinit const Family xlm_roberta_xl_family = make_xlm_roberta_xl();

}  // namespace bert
