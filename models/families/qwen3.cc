#include "models/families/qwen3.h"

#include "engine/base/quote.h"
#include "models/config/attention_settings.h"

namespace bert {
namespace {

// Throws Error for a layer with a window if no window is given; the reference fails then.
void require_whole_sight(const JsonObject& fields) {
  if (!fields.nullable("layer_types")) return;
  const std::vector<std::string> types = *fields.strings("layer_types");
  for (const std::string& type : types) {
    if (type == "full_attention") continue;
    refuse_setting(fields, "layer_types", quote(type, 60), "full_attention, without use_sliding_window and its window");
  }
}

// The reference counts the distance in one direction: from a token to those before it.
void read_qwen3_windows(const JsonObject& fields, ModelConfig& config) {
  const bool has_windows = fields.nullable_boolean("use_sliding_window").value_or(false);
  const auto window = fields.nullable_integer("sliding_window", {.min = 1, .max = 1 << 20});
  if (!has_windows || (!window && fields.has("sliding_window"))) return require_whole_sight(fields);
  const auto first = fields.integer("max_window_layers", {.min = 0, .max = 1000}).value_or(28);
  config.local_distance = static_cast<size_t>(window.value_or(4096)) - 1;
  read_local_layers(fields, 0, 1, config);
  if (!fields.nullable("layer_types")) {
    for (size_t layer = static_cast<size_t>(first); layer < config.num_hidden_layers; ++layer) {
      config.local_layers[layer] = true;
    }
  }
  config.local_rotary = config.rotary;
}

void read_qwen3(const JsonObject& fields, ModelConfig& config) {
  read_qwen3_layers(fields, config);
  read_qwen3_sight(fields, config);
  // voyage-4-nano
  const std::vector<std::string>& classes = config.architectures;
  if (classes.empty() || classes[0] != "VoyageQwen3BidirectionalEmbedModel") return;
  config.causal_attention = false;
  const auto width = fields.integer("num_labels", {.min = 1, .max = 65536});
  if (!width) fields.refuse("num_labels", "the width of linear.weight's outputs");
  config.projected_size = static_cast<size_t>(*width);
}

}  // namespace

void refuse_unsaid_sight(const JsonObject& fields) {
  const auto own_code = fields.nullable_object("auto_map");
  if (!own_code || !own_code->has("AutoModel") || fields.nullable("is_causal") ||
      fields.nullable("use_bidirectional_attention")) {
    return;
  }
  refuse_setting(fields, "auto_map", json_excerpt(*fields.find("auto_map")),
                 "none, or is_causal beside it: whether the model's own code lets tokens see those after them");
}

void read_sight(const JsonObject& fields, ModelConfig& config) {
  config.causal_attention = fields.nullable_boolean("is_causal").value_or(true) &&
                            !fields.nullable_boolean("use_bidirectional_attention").value_or(false);
}

void read_qwen3_sight(const JsonObject& fields, ModelConfig& config) {
  read_sight(fields, config);
  if (config.causal_attention) read_qwen3_windows(fields, config);
  if (!config.causal_attention) require(fields, "use_sliding_window", false);
}

void read_qwen3_layers(const JsonObject& fields, ModelConfig& config) {
  config.head_size = 128;
  config.attention_bias = fields.boolean("attention_bias").value_or(false);
  read_heads(fields, config, HeadSize::kOwn);
  read_rotary(fields, 10000, config);
}

constinit const Family qwen3_family = make_qwen3("qwen3", "Qwen3", read_qwen3);

}  // namespace bert
