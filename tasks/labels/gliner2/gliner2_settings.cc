#include "tasks/labels/gliner2/gliner2_settings.h"

#include <array>
#include <string>
#include <utility>

#include "engine/base/quote.h"
#include "models/config/attention_settings.h"

namespace bert {
namespace {

template <class Value, size_t count>
Value one_of(const JsonObject& fields, const char* key,
             const std::array<std::pair<const char*, Value>, count>& values) {
  const std::string name = fields.nullable_string(key).value_or(values.front().first);
  std::string expected;
  for (const auto& [value_name, value] : values) {
    if (name == value_name) return value;
    expected += (expected.empty() ? "" : ", ") + std::string(value_name);
  }
  refuse_setting(fields, key, quote(name, 60), expected);
}

size_t read_max_width(const JsonObject& fields) {
  constexpr JsonObject::Range kWidths{.min = 1, .max = 1024};
  const std::optional<JsonObject> head = fields.nullable_object("span_head");
  const std::optional<int64_t> own = head ? head->nullable_integer("max_width", kWidths) : std::nullopt;
  const std::optional<int64_t> older = fields.nullable_integer("max_width", kWidths);
  return static_cast<size_t>(own ? *own : older.value_or(8));
}

}  // namespace

std::optional<Gliner2Settings> read_gliner2_settings(const FileSource& files) {
  const std::optional<std::string> text = files.read("config.json", kMaxModelFile);
  if (!text) return std::nullopt;
  const std::string source = files.display_name("config.json");
  const JsonDocument document = parse_json(*text, source, {.max_bytes = kMaxModelFile});
  const JsonObject fields(document.root(), source);
  const std::optional<Json> kind = fields.nullable("model_type");
  if (!kind || kind->string() != "extractor") return std::nullopt;

  Gliner2Settings settings;
  settings.pooling = one_of<WordPooling, 3>(
      fields, "token_pooling",
      {{{"first", WordPooling::kFirst}, {"mean", WordPooling::kMean}, {"max", WordPooling::kMax}}});
  const bool has_boundaries = one_of<bool, 2>(fields, "architecture", {{{"span", false}, {"boundary", true}}});
  if (has_boundaries) {
    const std::optional<JsonObject> head = fields.nullable_object("boundary_head");
    settings.boundaries = head ? read_boundary_settings(*head) : BoundarySettings{};
  } else {
    settings.max_width = read_max_width(fields);
    settings.count_layer = one_of<CountLayer, 3>(fields, "counting_layer",
                                                 {{{"count_lstm", CountLayer::kTwoLayers},
                                                   {"count_lstm_moe", CountLayer::kExperts},
                                                   {"count_lstm_v2", CountLayer::kTransformer}}});
  }
  return settings;
}

}  // namespace bert
