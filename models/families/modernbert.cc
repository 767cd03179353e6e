// ModernBERT: a norm before each block, rotary positions, most layers local, a gate; no segments. Also ettin,
// granite-embedding r2, gte-modernbert, mmBERT and ruri v3.
#include "models/config/activations.h"
#include "models/config/attention_settings.h"
#include "models/families/common.h"

namespace bert {
namespace {

constexpr std::string_view kModernBertPrefixes[] = {"", "model.", "0.auto_model."};
constexpr std::string_view kModernBertIgnorable[] = {"head.*", "decoder.*", "classifier.*"};
// Every head begins with the same dense layer and norm.
constexpr HeadNames modernbert_head(Head head, HeadInput input) {
  return {.head = head,
          .input = input,
          .dense = "head.dense",
          .dense_bias = Bias::kClassifier,
          .norm = "head.norm",
          .output = head == Head::kMaskedLm ? "decoder" : "classifier",
          .output_has_bias = head == Head::kMaskedLm ? Bias::kDecoder : HeadNames{}.output_has_bias};
}

constexpr HeadNames kModernBertHeads[] = {modernbert_head(Head::kMaskedLm, HeadInput::kEachToken),
                                          modernbert_head(Head::kSequenceClassification, HeadInput::kClassifierPooling),
                                          modernbert_head(Head::kTokenClassification, HeadInput::kEachToken),
                                          modernbert_head(Head::kMultipleChoice, HeadInput::kClassifierPooling),
                                          modernbert_head(Head::kQuestionAnswering, HeadInput::kEachToken)};

void read_modernbert(const JsonObject& fields, ModelConfig& config) {
  config.attention_bias = fields.boolean("attention_bias").value_or(false);
  config.mlp_bias = fields.boolean("mlp_bias").value_or(false);
  config.norm_bias = fields.boolean("norm_bias").value_or(false);
  config.classifier_bias = fields.boolean("classifier_bias").value_or(false);
  config.decoder_bias = fields.boolean("decoder_bias").value_or(true);
  config.classifier_pooling = read_classifier_pooling(fields, "classifier_pooling", {"cls", "mean"});
  config.classifier_activation = fields.string("classifier_activation").value_or("gelu");
  require_activation(fields, "classifier_activation", config.classifier_activation);
  read_heads(fields, config);
  const auto period = fields.integer("global_attn_every_n_layers", {.min = 1, .max = 1000}).value_or(3);
  read_local_layers(fields, 0, static_cast<size_t>(period), config);
  // Half of the window to each side.
  config.local_distance =
      static_cast<size_t>(fields.integer("local_attention", {.min = 1, .max = 1 << 20}).value_or(128)) / 2;
  read_layered_rotary(fields, {"global_rope_theta", "local_rope_theta", 160000, 10000}, config);
}

}  // namespace

constinit const Family modernbert_family = {
    .model_type = "modernbert",
    .class_prefix = "ModernBert",
    .tokenizer = {.files = TokenizerFiles::kByteLevelBpe,
                  .mask_takes_space = true,
                  .json_reading = JsonReading::kAlwaysAsIs},
    .defaults = {.vocab_size = 50368,
                 .num_hidden_layers = 22,
                 .intermediate_size = 1152,
                 .max_position_embeddings = 8192,
                 .type_vocab_size = 1,
                 .layer_norm_eps = 1e-5,
                 .position_embedding_type = "rotary",
                 .pad_token_id = 50283},
    .fields = {.type_vocab_size = nullptr,
               .hidden_act = "hidden_activation",
               .layer_norm_eps = "norm_eps",
               .position_embedding_type = nullptr},
    .read_settings = read_modernbert,
    .weights = {.anchor = "embeddings.tok_embeddings.weight",
                .prefixes = kModernBertPrefixes,
                .wrappers = kTrainingWrappers,
                .ignorable = kModernBertIgnorable},
    .names = {.word_embeddings = "embeddings.tok_embeddings",
              .embeddings_norm = "embeddings.norm",
              .norm_before_attention = "layers.{}.attn_norm",
              .qkv = "layers.{}.attn.Wqkv",
              .attention_output = "layers.{}.attn.Wo",
              .norm_before_feed_forward = "layers.{}.mlp_norm",
              .feed_forward_up = "layers.{}.mlp.Wi",
              .stacked_gate = Gate::Activated::kFirst,
              .feed_forward_down = "layers.{}.mlp.Wo",
              .final_norm = "final_norm"},
    .norm_bias = Bias::kNorm,
    .first_layer_is_normed = false,
    .attention_bias = Bias::kAttention,
    .up_bias = Bias::kFeedForward,
    .down_bias = Bias::kFeedForward,
    .heads = kModernBertHeads,
};

}  // namespace bert
