// The encoder of T5Gemma: Gemma 2's layers, without causal attention. Its settings are in an object of their own.
#include "models/families/gemma.h"

namespace bert {
namespace {

constexpr std::string_view kT5GemmaPrefixes[] = {"", "model.", "0.auto_model."};
constexpr std::string_view kT5GemmaReported[] = {"decoder.*", "lm_head.*", "score.*"};

void read_t5gemma(const JsonObject& fields, ModelConfig& config) {
  config.causal_attention = false;
  read_gemma2_layers(*fields.nullable_object("encoder"), config);
}

constexpr Family make_t5gemma() {
  Family family = make_gemma2("t5gemma", "T5Gemma", read_t5gemma);
  family.sizes_in = "encoder";
  family.weights = {.anchor = "encoder.embed_tokens.weight",
                    .prefixes = kT5GemmaPrefixes,
                    .wrappers = kTrainingWrappers,
                    .reported = kT5GemmaReported};
  EncoderNames& names = family.names;
  names.word_embeddings = "encoder.embed_tokens";
  names.norm_before_attention = "encoder.layers.{}.pre_self_attn_layernorm";
  names.query = "encoder.layers.{}.self_attn.q_proj";
  names.key = "encoder.layers.{}.self_attn.k_proj";
  names.value = "encoder.layers.{}.self_attn.v_proj";
  names.attention_output = "encoder.layers.{}.self_attn.o_proj";
  names.norm_of_attention = "encoder.layers.{}.post_self_attn_layernorm";
  names.norm_before_feed_forward = "encoder.layers.{}.pre_feedforward_layernorm";
  names.feed_forward_gate = "encoder.layers.{}.mlp.gate_proj";
  names.feed_forward_up = "encoder.layers.{}.mlp.up_proj";
  names.feed_forward_down = "encoder.layers.{}.mlp.down_proj";
  names.norm_of_feed_forward = "encoder.layers.{}.post_feedforward_layernorm";
  names.final_norm = "encoder.norm";
  family.heads = {};
  return family;
}

}  // namespace

constinit const Family t5gemma_family = make_t5gemma();

}  // namespace bert
