#include "tasks/labels/gliner/gliner_settings.h"

#include <array>

#include "engine/base/json/json_object.h"
#include "engine/base/quote.h"
#include "models/config/attention_settings.h"
#include "models/config/config.h"

namespace bert {
namespace {

// Throws for forms that gliner recognises by the fields of the file.
void refuse_other_forms(const JsonObject& fields) {
  const std::string type = fields.nullable_string("model_type").value_or("");
  for (const char* other : {"streaming", "decoder", "relex"}) {
    if (type.find(other) != std::string::npos) {
      refuse_setting(fields, "model_type", quote(type, 60), "a uni-encoder or a bi-encoder of spans or tokens");
    }
  }
  for (const char* key : {"labels_decoder", "relations_layer"}) {
    if (fields.nullable(key)) refuse_setting(fields, key, "a value", "none: entities alone are found");
  }
  if (!fields.nullable_string("post_fusion_schema").value_or("").empty()) {
    refuse_setting(fields, "post_fusion_schema", quote(*fields.string("post_fusion_schema"), 60), "an empty one");
  }
  if (fields.nullable("span_encoder_config")) refuse_setting(fields, "span_encoder_config", "a value", "none");
  for (const char* key : {"fuse_layers", "represent_spans", "precomputed_prompts_mode"}) {
    if (fields.nullable_boolean(key).value_or(false)) refuse_setting(fields, key, "true", "false");
  }
  const std::string splitter = fields.nullable_string("words_splitter_type").value_or("whitespace");
  if (splitter != "whitespace") refuse_setting(fields, "words_splitter_type", quote(splitter, 60), "whitespace");
}

EntityForm read_form(const JsonObject& fields) {
  const std::string mode = fields.nullable_string("span_mode").value_or("markerV0");
  if (mode == "marker") return EntityForm::kMarker;
  if (mode == "markerV0") return EntityForm::kMarkerV0;
  if (mode == "token_level" || mode == "token-level") return EntityForm::kWords;
  refuse_setting(fields, "span_mode", quote(mode, 60), "marker, markerV0 or token_level");
}

WordPooling read_pooling(const JsonObject& fields) {
  constexpr std::array<const char*, 4> kNames = {"first", "last", "mean", "max"};
  const std::string name = fields.nullable_string("subtoken_pooling").value_or("first");
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (name == kNames[i]) return static_cast<WordPooling>(i);
  }
  fields.refuse("subtoken_pooling", "first, last, mean or max");
}

GlinerEncoder read_encoder(const JsonObject& fields, const char* name, const char* config,
                           std::vector<std::string>& notices) {
  GlinerEncoder encoder{.name = fields.nullable_string(name).value_or("")};
  if (const auto object = fields.nullable_object(config)) {
    object->required_string("model_type");
    encoder.config = read_config(*object, &notices);
  }
  return encoder;
}

}  // namespace

std::optional<GlinerSettings> read_gliner_settings(const FileSource& files, std::vector<std::string>& notices) {
  const std::optional<std::string> text = files.read(kGlinerConfig, kMaxModelFile);
  if (!text) return std::nullopt;
  const std::string source = files.display_name(kGlinerConfig);
  const JsonDocument document = parse_json(*text, source, {.max_bytes = kMaxModelFile, .notices = &notices});
  const JsonObject fields(document.root(), source);
  refuse_other_forms(fields);
  GlinerSettings settings;
  settings.form = read_form(fields);
  settings.text = read_encoder(fields, "model_name", "encoder_config", notices);
  if (fields.nullable("labels_encoder")) {
    settings.labels = read_encoder(fields, "labels_encoder", "labels_encoder_config", notices);
  }
  const auto size = [&](const char* key, size_t otherwise, int64_t min, int64_t max) {
    const auto value = fields.nullable_integer(key, {.min = min, .max = max});
    return value ? static_cast<size_t>(*value) : otherwise;
  };
  settings.hidden_size = size("hidden_size", settings.hidden_size, 2, 65536);
  if (settings.hidden_size % 2 != 0) fields.refuse("hidden_size", "an even number");
  settings.max_width = size("max_width", settings.max_width, 1, GlinerSettings::kMostWidth);
  settings.max_words = size("max_len", settings.max_words, 1, GlinerSettings::kMostWords);
  settings.lstm_layers = size("num_rnn_layers", settings.lstm_layers, 0, 16);
  settings.pooling = read_pooling(fields);
  settings.label_token = fields.nullable_string("ent_token").value_or(settings.label_token);
  settings.separator_token = fields.nullable_string("sep_token").value_or(settings.separator_token);
  settings.reads_label_token = fields.nullable_boolean("embed_ent_token").value_or(true);
  const auto id = fields.nullable_integer("class_token_index", {.min = -1, .max = 1 << 24});
  const auto vocab = fields.nullable_integer("vocab_size", {.min = -1, .max = 1 << 24});
  if (vocab.value_or(-1) > 0) settings.vocab_size = static_cast<size_t>(*vocab);
  if (id.value_or(-1) >= 0 && settings.vocab_size) settings.label_token_id = static_cast<int32_t>(*id);
  return settings;
}

}  // namespace bert
