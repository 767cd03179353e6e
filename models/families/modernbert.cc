// ModernBERT; also ettin, granite-embedding r2, gte-modernbert, mmBERT and ruri v3.
#include "models/families/modernbert.h"

#include "models/config/attention_settings.h"

namespace bert {
namespace {

constexpr HeadNames kModernBertHeads[] = {modernbert_head(Head::kMaskedLm, HeadInput::kEachToken),
                                          modernbert_head(Head::kSequenceClassification, HeadInput::kClassifierPooling),
                                          modernbert_head(Head::kTokenClassification, HeadInput::kEachToken),
                                          modernbert_head(Head::kMultipleChoice, HeadInput::kClassifierPooling),
                                          modernbert_head(Head::kQuestionAnswering, HeadInput::kEachToken)};

void read_modernbert(const JsonObject& fields, ModelConfig& config) {
  read_modernbert_layers(fields, config);
  config.classifier_pooling = read_classifier_pooling(fields, "classifier_pooling", {"cls", "mean"});
  // Half of the window is on each side.
  config.local_distance =
      static_cast<size_t>(fields.integer("local_attention", {.min = 1, .max = 1 << 20}).value_or(128)) / 2;
}

}  // namespace

void read_modernbert_layers(const JsonObject& fields, ModelConfig& config) {
  config.attention_bias = fields.boolean("attention_bias").value_or(false);
  config.mlp_bias = fields.boolean("mlp_bias").value_or(false);
  config.norm_bias = fields.boolean("norm_bias").value_or(false);
  config.classifier_bias = fields.boolean("classifier_bias").value_or(false);
  config.decoder_bias = fields.boolean("decoder_bias").value_or(true);
  config.classifier_activation = fields.string("classifier_activation").value_or("gelu");
  require_activation(fields, "classifier_activation", config.classifier_activation);
  read_heads(fields, config);
  const auto period = fields.integer("global_attn_every_n_layers", {.min = 1, .max = 1000}).value_or(3);
  read_local_layers(fields, 0, static_cast<size_t>(period), config);
  read_layered_rotary(fields, {"global_rope_theta", "local_rope_theta", 160000, 10000}, config);
}

constinit const Family modernbert_family =
    make_modernbert("modernbert", "ModernBert", kModernBertHeads, read_modernbert);

}  // namespace bert
