// LFM2: Qwen3's layer; in most layers a short convolution replaces attention.
#include "engine/base/quote.h"
#include "models/families/llama.h"

namespace bert {
namespace {

// Returns the layers with a convolution: from layer_types, else from the indices of attention layers; else none.
std::vector<bool> convolution_layers(const JsonObject& fields, const ModelConfig& config) {
  const size_t count = config.num_hidden_layers;
  std::vector<bool> layers;
  if (fields.nullable("layer_types")) {
    const std::vector<std::string> types = *fields.strings("layer_types");
    for (const std::string& type : types) {
      if (type != "conv" && type != "full_attention") {
        refuse_setting(fields, "layer_types", quote(type, 60), "conv or full_attention");
      }
      layers.push_back(type == "conv");
    }
    if (layers.size() != count) fields.refuse("layer_types", std::to_string(count) + " names: as many as layers");
    return layers;
  }
  const auto numbers = fields.nullable("full_attn_idxs");
  layers.assign(count, numbers.has_value());
  if (!numbers) return layers;
  if (!numbers->is_array()) fields.refuse("full_attn_idxs", "a list of layers");
  for (const Json number : numbers->elements()) {
    const auto layer = number.number();
    if (layer && *layer >= 0 && *layer < static_cast<double>(count)) layers[static_cast<size_t>(*layer)] = false;
  }
  return layers;
}

void read_lfm2(const JsonObject& fields, ModelConfig& config) {
  refuse_unsaid_sight(fields);
  read_sight(fields, config);
  read_written_heads(fields, config);
  read_rotary(fields, 1000000, config);
  require(fields, "conv_bias", false);
  const JsonObject::Range sizes = {.min = 1, .max = 1 << 20};
  const auto width = static_cast<size_t>(fields.integer("conv_L_cache", {.min = 1, .max = 64}).value_or(3));
  config.short_convolution = ShortConvolutionConfig{width, convolution_layers(fields, config)};
  if (const auto size = fields.nullable_integer("block_ff_dim", sizes)) {
    config.intermediate_size = static_cast<size_t>(*size);
  }
  config.tie_word_embeddings = fields.boolean("tie_embedding").value_or(config.tie_word_embeddings);
  if (!fields.boolean("block_auto_adjust_ff_dim").value_or(true)) return;
  // The feed-forward layer's size is two thirds of the given size, multiplied by a factor if there is one, and then
  // rounded up to a multiple. The first two results are truncated to integers, as in the reference.
  const auto multiple = static_cast<size_t>(fields.integer("block_multiple_of", sizes).value_or(256));
  const auto two_thirds = static_cast<size_t>(static_cast<double>(2 * config.intermediate_size) / 3);
  config.intermediate_size = two_thirds;
  if (fields.has("block_ffn_dim_multiplier") && fields.is_null("block_ffn_dim_multiplier")) return;
  const double factor = fields.positive_number("block_ffn_dim_multiplier").value_or(1);
  const auto scaled = static_cast<size_t>(factor * static_cast<double>(two_thirds));
  config.intermediate_size = (scaled + multiple - 1) / multiple * multiple;
}

constexpr Family make_lfm2() {
  Family family = make_llama("lfm2", "Lfm2", read_lfm2);
  EncoderNames& names = family.names;
  names.norm_before_attention = "layers.{}.operator_norm";
  names.query_norm = "layers.{}.self_attn.q_layernorm";
  names.key_norm = "layers.{}.self_attn.k_layernorm";
  names.attention_output = "layers.{}.self_attn.out_proj";
  names.short_convolution_input = "layers.{}.conv.in_proj";
  names.short_convolution = "layers.{}.conv.conv";
  names.short_convolution_output = "layers.{}.conv.out_proj";
  names.norm_before_feed_forward = "layers.{}.ffn_norm";
  names.feed_forward_gate = "layers.{}.feed_forward.w1";
  names.feed_forward_up = "layers.{}.feed_forward.w3";
  names.feed_forward_down = "layers.{}.feed_forward.w2";
  names.final_norm = "embedding_norm";
  family.attention_bias = Bias::kNever;
  family.heads = {};
  family.fields.layer_norm_eps = "norm_eps";
  family.fields.hidden_act = nullptr;
  family.defaults.vocab_size = 65536;
  family.defaults.hidden_size = 2560;
  family.defaults.intermediate_size = 12288;
  family.defaults.max_position_embeddings = 128000;
  family.defaults.layer_norm_eps = 1e-5;
  family.defaults.pad_token_id = 0;
  family.defaults.tie_word_embeddings = true;
  return family;
}

}  // namespace

constinit const Family lfm2_family = make_lfm2();

}  // namespace bert
