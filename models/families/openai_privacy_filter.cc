// OpenAI's privacy filter: gpt-oss's layer as an encoder. Every layer has experts with a gate, sinks, and a window on
// both sides.
#include <array>
#include <string>

#include "models/families/eurobert.h"

namespace bert {
namespace {

constexpr std::string_view kPrivacyFilterPrefixes[] = {"", "model."};
constexpr std::string_view kPrivacyFilterIgnorable[] = {"score.*"};
constexpr HeadNames kPrivacyFilterHeads[] = {
    {.head = Head::kTokenClassification, .input = HeadInput::kEachToken, .output = "score"}};
constexpr std::array kKinds = {"account_number", "private_address", "private_date", "private_email",
                               "private_person", "private_phone",   "private_url",  "secret"};
constexpr double kTheta = 150000;

// Used if config.json has no id2label.
std::vector<std::optional<std::string>> default_privacy_labels() {
  std::vector<std::optional<std::string>> labels = {"O"};
  for (const char* kind : kKinds) {
    for (const char* letter : {"B-", "I-", "E-", "S-"}) labels.push_back(std::string(letter) + kind);
  }
  return labels;
}

void read_privacy_positions(const JsonObject& fields, ModelConfig& config) {
  if (fields.nullable("rope_parameters") || fields.nullable("rope_scaling")) {
    read_rotary(fields, kTheta, config);
  } else {
    const JsonDocument usual = parse_json(
        R"({"rope_parameters": {"rope_type": "yarn", "factor": 32, "original_max_position_embeddings": 4096,
            "truncate": false}})",
        fields.source());
    read_rotary(JsonObject(usual.root(), fields.source()), kTheta, config);
  }
  config.local_distance =
      static_cast<size_t>(fields.integer("sliding_window", {.min = 1, .max = 1 << 20}).value_or(128));
  config.local_layers.assign(config.num_hidden_layers, true);
  config.local_rotary = config.rotary;
}

void read_privacy_filter(const JsonObject& fields, ModelConfig& config) {
  config.attention_bias = fields.boolean("attention_bias").value_or(true);
  if (!fields.has("head_dim")) config.head_size = 64;
  read_heads(fields, config, HeadSize::kOwn);
  if (!fields.has("num_key_value_heads")) fields.refuse("num_key_value_heads", "a number");
  read_privacy_positions(fields, config);
  require(fields, "swiglu_alpha", 1.702);  // kQuickGelu's
  const char* experts = fields.has("num_experts") ? "num_experts" : "num_local_experts";
  const auto count = fields.integer(experts, {.min = 1, .max = 1024}).value_or(128);
  const auto top_k = fields.integer("num_experts_per_tok", {.min = 1, .max = count}).value_or(4);
  if (top_k > count) fields.refuse(experts, "at least num_experts_per_tok " + std::to_string(top_k));
  config.experts = ExpertConfig{static_cast<size_t>(count), static_cast<size_t>(top_k), 1,
                                fields.positive_number("swiglu_limit").value_or(7)};
  config.labels = default_privacy_labels();
}

constexpr Family make_privacy_filter() {
  Family family = make_eurobert("openai_privacy_filter", "OpenAIPrivacyFilter", kPrivacyFilterPrefixes,
                                kPrivacyFilterIgnorable, kPrivacyFilterHeads, read_privacy_filter);
  EncoderNames& names = family.names;
  names.feed_forward_gate = names.feed_forward_up = names.feed_forward_down = {};
  names.sinks = "layers.{}.self_attn.sinks";
  names.router = "layers.{}.mlp.router";
  names.experts_up = "layers.{}.mlp.experts.gate_up_proj";
  names.experts_down = "layers.{}.mlp.experts.down_proj";
  family.rotary_pairs = RotaryPairs::kNeighbors;
  family.fields.hidden_act = nullptr;
  family.defaults.hidden_act = "quick_gelu";
  family.defaults.vocab_size = 200064;
  family.defaults.hidden_size = 640;
  family.defaults.num_hidden_layers = 8;
  family.defaults.num_attention_heads = 14;
  family.defaults.intermediate_size = 640;
  family.defaults.max_position_embeddings = 131072;
  family.defaults.layer_norm_eps = 1e-5;
  family.defaults.pad_token_id = 199999;
  family.defaults.tie_word_embeddings = false;
  return family;
}

}  // namespace

constinit const Family openai_privacy_filter_family = make_privacy_filter();

}  // namespace bert
