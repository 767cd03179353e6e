// Gemma 2 (bge-multilingual-gemma2): every second layer is local, and scores have a soft cap.
#include "models/families/gemma.h"

namespace bert {
namespace {

// If use_bidirectional_attention is true, the reference's layers attend one way or both ways, depending on the length.
void read_gemma2(const JsonObject& fields, ModelConfig& config) {
  refuse_unsaid_sight(fields);
  require(fields, "use_bidirectional_attention", false);
  read_sight(fields, config);
  read_gemma2_layers(fields, config);
}

}  // namespace

void read_gemma2_layers(const JsonObject& fields, ModelConfig& config) {
  read_gemma_layers(fields, config);
  const JsonObject::Range positive = {.min = 1, .max = 1 << 20};
  config.query_pre_attn_scalar = static_cast<size_t>(fields.integer("query_pre_attn_scalar", positive).value_or(256));
  constexpr const char* kCap = "attn_logit_softcapping";
  const bool has_none = fields.has(kCap) && fields.is_null(kCap);
  config.attention_soft_cap = has_none ? 0 : fields.positive_number(kCap).value_or(50);
  read_local_layers(fields, 1, 2, config);
  // Tokens that a causal layer sees, including the token itself; other layers see this many on each side.
  const auto window = static_cast<size_t>(fields.integer("sliding_window", positive).value_or(4096));
  config.local_distance = window - (config.causal_attention ? 1 : 0);
  config.local_rotary = config.rotary;
}

constinit const Family gemma2_family = make_gemma2("gemma2", "Gemma2", read_gemma2);

}  // namespace bert
