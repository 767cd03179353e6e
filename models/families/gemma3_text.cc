// The family of EmbeddingGemma and of other models with Gemma 3's layer. This is Gemma 2's layer with norms of the
// queries and keys; most layers see only a local window.
#include "models/families/gemma.h"

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
  // Tokens that a local layer sees: the token and those before it, or half of them on each side, which may be 0.
  const JsonObject::Range windows = {.min = config.causal_attention ? 1 : 0, .max = 1 << 20};
  const auto window = static_cast<size_t>(fields.integer("sliding_window", windows).value_or(4096));
  config.local_distance = config.causal_attention ? window - 1 : window / 2;
  read_layered_rotary(fields, {"rope_theta", "rope_local_base_freq", 1000000, 10000}, config);
}

constexpr Family make_gemma3_text() {
  Family family = make_gemma2("gemma3_text", "Gemma3Text", read_gemma3_text);
  family.names.query_norm = "layers.{}.self_attn.q_norm";
  family.names.key_norm = "layers.{}.self_attn.k_norm";
  family.defaults.vocab_size = 262208;
  family.defaults.max_position_embeddings = 131072;
  return family;
}

}  // namespace

constinit const Family gemma3_text_family = make_gemma3_text();

}  // namespace bert
