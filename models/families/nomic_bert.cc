// NomicBERT: BERT's norms with rotary positions and a gate, and no biases but the norms'. Also arctic-embed m-long.
// Files of 2024 have GPT-2's names in config.json. nomic-embed-text-v2-moe has biases and no gate, and every second
// layer has experts.
#include <algorithm>
#include <utility>

#include "models/config/attention_settings.h"
#include "models/families/common.h"
#include "models/families/rotary_names.h"

namespace bert {
namespace {

constexpr std::string_view kNomicBertPrefixes[] = {"", "bert.", "nomic_bert.", "model.", "0.auto_model."};
constexpr std::string_view kNomicBertIgnorable[] = {"pooler.*", "cls.*", "classifier.*"};
constexpr HeadNames kNomicBertHeads[] = {
    {.head = Head::kMaskedLm,
     .input = HeadInput::kEachToken,
     .dense = "cls.predictions.transform.dense",
     .norm = "cls.predictions.transform.layer_norm",
     .output = "cls.predictions.decoder",
     .output_bias = "cls.predictions.bias"},
    {.head = Head::kSequenceClassification, .input = HeadInput::kPooled, .output = "classifier"},
    {.head = Head::kTokenClassification, .input = HeadInput::kEachToken, .output = "classifier"}};

constexpr RenamedPart kNomicBertRenamed[] = {{"encoder.layers", "layers"},
                                             {"attn.Wqkv", "self_attn.q_proj"},
                                             {"attn.out_proj", "self_attn.o_proj"},
                                             {"fc11", "up_proj"},
                                             {"fc12", "gate_proj"},
                                             {"fc2", "down_proj"}};

constexpr ConfigFields kOlderFields = {.hidden_size = "n_embd",
                                       .num_hidden_layers = "n_layer",
                                       .num_attention_heads = "n_head",
                                       .intermediate_size = "n_inner",
                                       .max_position_embeddings = "n_positions",
                                       .hidden_act = nullptr,
                                       .layer_norm_eps = "layer_norm_epsilon",
                                       .position_embedding_type = nullptr,
                                       .usual_names_count = true,
                                       .usual_intermediate_size_counts = true};

// Reads whether the plain layers have biases: both layers or neither.
void read_biases(const JsonObject& fields, ModelConfig& config) {
  config.attention_bias = fields.nullable_boolean("qkv_proj_bias").value_or(false);
  config.mlp_bias = fields.nullable_boolean("mlp_fc1_bias").value_or(false);
  require(fields, "mlp_fc2_bias", config.mlp_bias);
}

void read_experts(const JsonObject& fields, ModelConfig& config) {
  const auto count = static_cast<size_t>(fields.nullable_integer("num_experts", {.min = 0, .max = 1024}).value_or(0));
  const auto every = fields.nullable_integer("moe_every_n_layers", {.min = 0, .max = 1000}).value_or(0);
  if (count == 0 || every < 2) return;  // layer i has experts if i % every is 1
  if (config.gated_feed_forward) {
    refuse_setting(fields, "num_experts", std::to_string(count), "0: experts are of models without a gate");
  }
  for (const char* unused : {"moe_normalize_expert_weights", "expert_choice_router"}) require(fields, unused, false);
  for (const auto& [field, value] : {std::pair{"num_shared_experts", 0.0}, {"ffn_div", 1.0}}) {
    require(fields, field, value);
  }
  const auto most = static_cast<int64_t>(count);
  const auto top_k = fields.nullable_integer("moe_top_k", {.min = 1, .max = most}).value_or(std::min<int64_t>(2, most));
  config.experts = ExpertConfig{count, static_cast<size_t>(top_k), static_cast<size_t>(every)};
}

void read_older_nomic_bert(const JsonObject& fields, ModelConfig& config) {
  if (choice(fields, "activation_function", {"swiglu", "gelu"}) == "gelu") {
    config.hidden_act = "gelu";
    config.gated_feed_forward = false;
    read_biases(fields, config);
  } else {  // config.hidden_act is silu
    for (const char* unused : {"qkv_proj_bias", "mlp_fc1_bias", "mlp_fc2_bias"}) require(fields, unused, false);
  }
  read_experts(fields, config);
  for (const char* unused : {"prenorm", "parallel_block", "use_rms_norm", "causal", "rotary_emb_interleaved",
                             "scale_attn_by_inverse_layer_idx"}) {
    require(fields, unused, false);
  }
  require(fields, "rotary_emb_fraction", 1.0);
  if (fields.nullable("rotary_emb_scale_base")) {
    refuse_setting(fields, "rotary_emb_scale_base", json_excerpt(*fields.find("rotary_emb_scale_base")), "null");
  }
  config.rotary.theta = fields.positive_number("rotary_emb_base").value_or(1000);
  if (!fields.nullable("rotary_scaling_factor")) return;
  config.rotary.scaling = RotaryScaling::kDynamic;
  config.rotary.wide_theta = true;  // its own code computes with Python's float64 numbers
  config.rotary.factor = fields.positive_number("rotary_scaling_factor").value();
  config.rotary.trained_length = positive_integer(fields, "max_trained_positions", 2048);
}

void read_nomic_bert(const JsonObject& fields, ModelConfig& config) {
  config.attention_bias = config.mlp_bias = false;
  if (fields.has(kOlderFields.hidden_size)) return read_older_nomic_bert(fields, config);
  read_head_size(fields, HeadSize::kOwn, config);
  read_rotary(fields, 1000, config);
}

}  // namespace

constinit const Family nomic_bert_family = {
    .model_type = "nomic_bert",
    .class_prefix = "NomicBert",
    .defaults = {.vocab_size = 30528,
                 .max_position_embeddings = 2048,
                 .hidden_act = "silu",
                 .position_embedding_type = "rotary"},
    .fields = {.position_embedding_type = nullptr},
    .older_fields = &kOlderFields,
    .read_settings = read_nomic_bert,
    .weights = {.anchor = "embeddings.word_embeddings.weight",
                .prefixes = kNomicBertPrefixes,
                .wrappers = kTrainingWrappers,
                .ignorable = kNomicBertIgnorable},
    .names = {.word_embeddings = "embeddings.word_embeddings",
              .token_type_embeddings = "embeddings.token_type_embeddings",
              .embeddings_norm = "emb_ln",
              .qkv = "encoder.layers.{}.attn.Wqkv",
              .attention_output = "encoder.layers.{}.attn.out_proj",
              .norm_after_attention = "encoder.layers.{}.norm1",
              .feed_forward_gate = "encoder.layers.{}.mlp.fc12",
              .feed_forward_up = "encoder.layers.{}.mlp.fc11",
              .feed_forward_down = "encoder.layers.{}.mlp.fc2",
              .norm_after_feed_forward = "encoder.layers.{}.norm2",
              .plain_up = "encoder.layers.{}.mlp.fc1",
              .router = "encoder.layers.{}.mlp.router.layer",
              .experts_up = "encoder.layers.{}.mlp.experts.mlp.w1",
              .experts_down = "encoder.layers.{}.mlp.experts.mlp.w2",
              .experts_bias = "encoder.layers.{}.mlp.experts.bias",
              .pooler = "pooler.dense"},
    .other_names = &kReferenceRotaryNames,
    .attention_bias = Bias::kAttention,
    .up_bias = Bias::kFeedForward,
    .down_bias = Bias::kFeedForward,
    .heads = kNomicBertHeads,
    .renamed_parts = kNomicBertRenamed,
};

}  // namespace bert
