// ModernBERT as a decoder (ettin-decoder): ModernBERT's layers with causal attention.
#include "models/families/modernbert.h"
#include "models/families/qwen3.h"

namespace bert {
namespace {

constexpr HeadNames last_token_head() {
  HeadNames head = modernbert_head(Head::kSequenceClassification, HeadInput::kLastToken);
  head.output_has_bias = Bias::kClassifier;
  return head;
}
constexpr HeadNames kModernBertDecoderHeads[] = {last_token_head()};

void read_modernbert_decoder(const JsonObject& fields, ModelConfig& config) {
  read_modernbert_layers(fields, config);
  read_sight(fields, config);
  const JsonObject::Range windows = {.min = 1, .max = 1 << 20};
  const auto half = fields.integer("local_attention", {.min = 2, .max = 1 << 20}).value_or(128) / 2;
  config.local_distance =
      static_cast<size_t>(fields.integer("sliding_window", windows).value_or(half)) - (config.causal_attention ? 1 : 0);
}

constexpr Family make_modernbert_decoder() {
  Family family =
      make_modernbert("modernbert-decoder", "ModernBertDecoder", kModernBertDecoderHeads, read_modernbert_decoder);
  family.names.qkv = "";
  family.names.query = "layers.{}.attn.q_proj";
  family.names.key = "layers.{}.attn.k_proj";
  family.names.value = "layers.{}.attn.v_proj";
  return family;
}

}  // namespace

constinit const Family modernbert_decoder_family = make_modernbert_decoder();

}  // namespace bert
