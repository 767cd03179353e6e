// MegatronBERT: BERT with a norm before each block, one after all layers, and no norm of the embeddings.
#include "models/families/bert.h"

namespace bert {
namespace {

constexpr Family make_megatron_bert() {
  Family family = kBert;
  family.model_type = "megatron-bert";
  family.class_prefix = "MegatronBert";
  family.tokenizer = {};
  family.defaults.vocab_size = 29056;
  family.defaults.hidden_size = 1024;
  family.defaults.num_hidden_layers = 24;
  family.defaults.num_attention_heads = 16;
  family.defaults.intermediate_size = 4096;
  family.names.embeddings_norm = "";
  family.names.norm_before_attention = "encoder.layer.{}.attention.ln";
  family.names.norm_after_attention = "";
  family.names.norm_before_feed_forward = "encoder.layer.{}.ln";
  family.names.norm_after_feed_forward = "";
  family.names.final_norm = "encoder.ln";
  return family;
}

}  // namespace

constinit const Family megatron_bert_family = make_megatron_bert();

}  // namespace bert
