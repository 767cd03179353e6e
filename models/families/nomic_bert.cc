// NomicBERT: BERT's norms with rotary positions and a gate, and no biases but the norms'. Also arctic-embed m-long. The
// files of 2024 have GPT-2's names in config.json.
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

void read_older_nomic_bert(const JsonObject& fields, ModelConfig& config) {
  choice(fields, "activation_function", {"swiglu"});  // config.hidden_act is silu
  for (const char* unused : {"prenorm", "parallel_block", "use_rms_norm", "causal", "qkv_proj_bias", "mlp_fc1_bias",
                             "mlp_fc2_bias", "rotary_emb_interleaved", "scale_attn_by_inverse_layer_idx"}) {
    require(fields, unused, false);
  }
  require(fields, "rotary_emb_fraction", 1.0);
  if (fields.nullable("rotary_emb_scale_base")) {
    refuse_setting(fields, "rotary_emb_scale_base", json_excerpt(*fields.find("rotary_emb_scale_base")), "null");
  }
  if (const auto experts = fields.nullable_integer("num_experts", {.min = 0, .max = 1000}); experts.value_or(0) > 0) {
    refuse_setting(fields, "num_experts", std::to_string(*experts), "0: no mixture of experts");
  }
  config.rotary.theta = fields.positive_number("rotary_emb_base").value_or(1000);
  if (!fields.nullable("rotary_scaling_factor")) return;
  config.rotary.scaling = RotaryScaling::kDynamic;
  config.rotary.factor = fields.positive_number("rotary_scaling_factor").value();
  config.rotary.trained_length =
      static_cast<size_t>(fields.nullable_integer("max_trained_positions", {.min = 1, .max = 1 << 20}).value_or(2048));
}

void read_nomic_bert(const JsonObject& fields, ModelConfig& config) {
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
              .pooler = "pooler.dense"},
    .other_names = &kReferenceRotaryNames,
    .attention_bias = Bias::kNever,
    .up_bias = Bias::kNever,
    .down_bias = Bias::kNever,
    .heads = kNomicBertHeads,
    .renamed_parts = kNomicBertRenamed,
};

}  // namespace bert
