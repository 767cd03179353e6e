// EmbeddingGemma and what else has Gemma 3's layer: Qwen3's, with a norm of each block's output too, most layers local,
// and word vectors that are multiplied by the root of their width.
#include "models/families/qwen3.h"

namespace bert {
namespace {

void read_gemma3_text(const JsonObject& fields, ModelConfig& config) {
  config.attention_bias = fields.boolean("attention_bias").value_or(false);
  config.head_size = 256;
  read_heads(fields, config, HeadSize::kOwn);
  const JsonObject::Range positive = {.min = 1, .max = 1 << 20};
  config.query_pre_attn_scalar = static_cast<size_t>(fields.integer("query_pre_attn_scalar", positive).value_or(256));
  if (const auto cap = fields.nullable("attn_logit_softcapping")) {
    refuse_setting(fields, "attn_logit_softcapping", json_excerpt(*cap), "null");
  }
  if (const auto scaling = fields.nullable("rope_scaling")) {
    refuse_setting(fields, "rope_scaling", json_excerpt(*scaling), "null");
  }
  require(fields, "is_causal", true);
  config.causal_attention = !fields.nullable_boolean("use_bidirectional_attention").value_or(false);
  const auto period = fields.integer("sliding_window_pattern", {.min = 1, .max = 1000}).value_or(6);
  read_local_layers(fields, static_cast<size_t>(period) - 1, static_cast<size_t>(period), config);
  // Tokens that a local layer sees: those before and itself, or half to each side, which may be none.
  const JsonObject::Range windows = {.min = config.causal_attention ? 1 : 0, .max = 1 << 20};
  const auto window = static_cast<size_t>(fields.integer("sliding_window", windows).value_or(4096));
  config.local_distance = config.causal_attention ? window - 1 : window / 2;
  read_layered_rotary(fields, {"rope_theta", "rope_local_base_freq", 1000000, 10000}, config);
}

constexpr std::string_view kGemmaTokenizerClasses[] = {"Gemma"};

constexpr Family make_gemma3_text() {
  Family family = make_qwen3("gemma3_text", "Gemma3Text", read_gemma3_text);
  family.tokenizer.same_classes = kGemmaTokenizerClasses;
  family.tokenizer.unapplied_text = family.tokenizer.unapplied_text_of_type = UnappliedText::kGemma;
  family.names.norm_of_attention = "layers.{}.post_attention_layernorm";
  family.names.norm_before_feed_forward = "layers.{}.pre_feedforward_layernorm";
  family.names.norm_of_feed_forward = "layers.{}.post_feedforward_layernorm";
  family.scales_embeddings = true;
  family.norm_weights_are_less_1 = true;
  family.fields.hidden_act = "hidden_activation";
  family.defaults.vocab_size = 262208;
  family.defaults.hidden_size = 2304;
  family.defaults.num_hidden_layers = 26;
  family.defaults.num_attention_heads = 8;
  family.defaults.intermediate_size = 9216;
  family.defaults.max_position_embeddings = 131072;
  family.defaults.hidden_act = "gelu_pytorch_tanh";
  family.defaults.pad_token_id = 0;
  family.defaults.tie_word_embeddings = true;
  return family;
}

}  // namespace

constinit const Family gemma3_text_family = make_gemma3_text();

}  // namespace bert
