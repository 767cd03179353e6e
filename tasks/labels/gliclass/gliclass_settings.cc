#include "tasks/labels/gliclass/gliclass_settings.h"

#include <algorithm>
#include <array>

#include "engine/base/joined.h"
#include "engine/base/json/json_object.h"
#include "engine/base/quote.h"
#include "models/config/activations.h"
#include "models/config/attention_settings.h"
#include "models/config/config.h"

namespace bert {
namespace {

// Returns the index of the field's value among these names; without a value, the index of `otherwise`.
template <size_t count>
size_t index_among(const JsonObject& fields, const char* key, const std::array<const char*, count>& names,
                   const char* otherwise) {
  const std::string value = fields.nullable_string(key).value_or(otherwise);
  const auto* const found = std::find(names.begin(), names.end(), value);
  if (found != names.end()) return static_cast<size_t>(found - names.begin());
  const std::string expected = joined(names, ", ");
  refuse_setting(fields, key, quote(value, 60), "one of " + expected);
}

void refuse_other_forms(const JsonObject& fields, bool is_uni_encoder) {
  for (const char* key : {"use_calibrator", "multimodal"}) {
    if (fields.nullable_boolean(key).value_or(false)) refuse_setting(fields, key, "true", "false");
  }
  if (!is_uni_encoder) return;
  for (const char* key : {"use_segment_embeddings", "squeeze_layers"}) {
    if (fields.nullable_boolean(key).value_or(false)) refuse_setting(fields, key, "true", "false");
  }
  const auto layer = fields.nullable_integer("encoder_layer_id", {.min = -(1 << 16), .max = 1 << 16});
  if (layer.value_or(-1) != -1) refuse_setting(fields, "encoder_layer_id", std::to_string(*layer), "-1, the last");
}

ModelConfig read_encoder(const JsonObject& fields, const char* key, std::vector<std::string>& notices) {
  const JsonObject encoder = fields.required_object(key);
  encoder.required_string("model_type");
  return read_config(encoder, &notices);
}

void read_label_encoder(const JsonObject& fields, ClassSettings& settings, std::vector<std::string>& notices) {
  settings.label_model = fields.required_string("label_model_name");
  settings.labels = read_encoder(fields, "label_model_config", notices);
  if (settings.pooling != ClassPooling::kFirst && settings.pooling != ClassPooling::kLast &&
      settings.pooling != ClassPooling::kMean && settings.pooling != ClassPooling::kMax) {
    refuse_setting(fields, "pooling_strategy", quote(fields.required_string("pooling_strategy"), 60),
                   "first, last, avg or max, of labels that have an encoder of their own");
  }
}

}  // namespace

std::optional<ClassSettings> read_class_settings(const FileSource& files, std::vector<std::string>& notices) {
  const std::optional<std::string> text = files.read("config.json", kMaxModelFile);
  if (!text || text->find("GLiClass") == std::string::npos) return std::nullopt;
  const std::string source = files.display_name("config.json");
  const JsonDocument document = parse_json(*text, source, {.max_bytes = kMaxModelFile, .notices = &notices});
  const JsonObject fields(document.root(), source);
  if (fields.nullable_string("model_type").value_or("") != "GLiClass") return std::nullopt;
  ClassSettings settings;
  settings.form = static_cast<ClassForm>(
      index_among<3>(fields, "architecture_type", {"uni-encoder", "bi-encoder", "bi-encoder-fused"}, "uni-encoder"));
  const bool is_uni_encoder = settings.form == ClassForm::kUniEncoder;
  refuse_other_forms(fields, is_uni_encoder);
  settings.scorer =
      static_cast<ClassScorer>(index_among<3>(fields, "scorer_type", {"simple", "weighted-dot", "mlp"}, "simple"));
  settings.pooling = static_cast<ClassPooling>(index_among<8>(
      fields, "pooling_strategy", {"first", "last", "avg", "sum", "max", "rms", "abs_avg", "abs_max"}, "first"));
  settings.text = read_encoder(fields, "encoder_config", notices);
  if (!is_uni_encoder) read_label_encoder(fields, settings, notices);
  const auto size = fields.nullable_integer("hidden_size", {.min = 1, .max = 65536});
  settings.hidden_size = size ? static_cast<size_t>(*size) : settings.text.hidden_size;
  const std::string activation = fields.nullable_string("projector_hidden_act").value_or("gelu");
  require_activation(fields, "projector_hidden_act", activation);
  settings.activation = *find_activation(activation);
  const auto is = [&](const char* key, bool otherwise) { return fields.nullable_boolean(key).value_or(otherwise); };
  settings.normalizes = is("normalize_features", false);
  settings.labels_first = is("prompt_first", false);
  if (is_uni_encoder) {
    settings.has_lstm = is("use_lstm", false);
    settings.pools_text_alone = is("extract_text_features", false);
    settings.averages_labels = index_among<2>(fields, "class_token_pooling", {"first", "average"}, "first") == 1;
    settings.reads_label_token = is("embed_class_token", true);
  }
  // The default is an id after the vocabulary.
  const auto token = [&](const char* key, size_t behind) {
    const auto id = fields.nullable_integer(key, {.min = -1, .max = 1 << 24});
    if (id.value_or(-1) >= 0) return static_cast<int32_t>(*id);
    const auto vocab = fields.nullable_integer("vocab_size", {.min = 0, .max = 1 << 24});
    return static_cast<int32_t>((vocab ? static_cast<size_t>(*vocab) : settings.text.vocab_size) + behind);
  };
  settings.label_token_id = token("class_token_index", 0);
  settings.separator_token_id = token("text_token_index", 1);
  if (settings.form == ClassForm::kFusedBiEncoder && settings.text.embedding_width() != settings.text.hidden_size) {
    refuse_setting(
        fields, "encoder_config.embedding_size", std::to_string(settings.text.embedding_width()),
        std::to_string(settings.text.hidden_size) + ", as its layers: labels' vectors stand among the words'");
  }
  // Layers with one width before these layers and another width after them would not fit.
  const bool needs_equal = settings.scorer != ClassScorer::kDot || settings.has_lstm;
  if (needs_equal && settings.hidden_size != settings.text.hidden_size) {
    fields.refuse("hidden_size", std::to_string(settings.text.hidden_size) + ", as in encoder_config");
  }
  return settings;
}

}  // namespace bert
