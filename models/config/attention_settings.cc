#include "models/config/attention_settings.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bert/error.h"
#include "engine/base/joined.h"
#include "engine/base/quote.h"
#include "models/config/activations.h"

namespace bert {
namespace {

constexpr std::string_view kLocal = "sliding_attention", kGlobal = "full_attention";

std::string list(std::initializer_list<std::string_view> values) {
  return joined(values, " or ", [](const std::string_view value) { return quote(value); });
}

// Reads {"rope_type" or "type": …, "rope_theta": …, "factor": …}. A key of a later part replaces that of an earlier
// part; "type" counts only if `older` names are read and no part has "rope_type". Absent settings stay unchanged.
// has_yarn: the scaling is supported; if layers differ, the reference reads some of its settings elsewhere.
enum class OlderNames : bool { kUnread, kRead };
void read_rotary_parts(std::span<const JsonObject> parts, OlderNames older, const ModelConfig& config,
                       RotaryConfig& rotary, bool has_yarn = false) {
  const auto last_with = [&](std::string_view key) {
    return std::find_if(parts.rbegin(), parts.rend(), [&](const JsonObject& part) { return part.has(key); });
  };
  constexpr std::string_view kOlderType = "type";
  for (const std::string_view name : {std::string_view("rope_type"), kOlderType}) {
    const auto part = last_with(name);
    const bool is_unread = name == kOlderType && older == OlderNames::kUnread;
    if (part == parts.rend() || is_unread) continue;
    const std::string scaling = has_yarn
                                    ? choice(*part, name, {"default", "linear", "ntk", "dynamic", "yarn", "llama3"})
                                    : choice(*part, name, {"default", "linear", "ntk", "dynamic"});
    rotary.scaling = scaling == "linear"    ? RotaryScaling::kLinear
                     : scaling == "ntk"     ? RotaryScaling::kNtk
                     : scaling == "dynamic" ? RotaryScaling::kDynamic
                     : scaling == "yarn"    ? RotaryScaling::kYarn
                     : scaling == "llama3"  ? RotaryScaling::kLlama3
                                            : RotaryScaling::kNone;
    break;
  }
  for (const JsonObject& part : parts) {
    if (const auto theta = part.positive_number("rope_theta")) rotary.theta = *theta;
    require(part, "partial_rotary_factor", 1.0);
  }
  if (rotary.scaling == RotaryScaling::kNone) return;
  const auto part = last_with("factor");
  const auto factor = part == parts.rend() ? std::nullopt : part->positive_number("factor");
  if (!factor || *factor < 1) parts.back().refuse("factor", "a number of at least 1: the scaling's");
  rotary.factor = *factor;
  rotary.trained_length = config.max_position_embeddings;
  if (rotary.scaling != RotaryScaling::kYarn && rotary.scaling != RotaryScaling::kLlama3) return;
  const auto number = [&](std::string_view key) {
    const auto found = last_with(key);
    return found == parts.rend() ? std::nullopt : found->positive_number(key);
  };
  if (const auto trained = number("original_max_position_embeddings")) {  // some files have 4096.0
    if (*trained < 1 || *trained > 1e9) parts.back().refuse("original_max_position_embeddings", "a number of tokens");
    rotary.trained_length = static_cast<size_t>(*trained);
  }
  if (rotary.scaling == RotaryScaling::kLlama3) {
    const auto slow = number("low_freq_factor"), fast = number("high_freq_factor");
    if (!slow || !fast || *slow >= *fast) {
      parts.back().refuse("low_freq_factor", "a number below high_freq_factor: the scaling's");
    }
    rotary.beta_slow = *slow;
    rotary.beta_fast = *fast;
    return;
  }
  if (const auto found = last_with("truncate"); found != parts.rend()) {
    rotary.truncate = found->boolean("truncate").value();
  }
  rotary.beta_fast = number("beta_fast").value_or(rotary.beta_fast);
  rotary.beta_slow = number("beta_slow").value_or(rotary.beta_slow);
  const auto of_factor = [&](double times) { return 0.1 * times * std::log(*factor) + 1; };
  const auto mscale = number("mscale"), mscale_all_dim = number("mscale_all_dim");
  const double usual = mscale && mscale_all_dim ? of_factor(*mscale) / of_factor(*mscale_all_dim) : of_factor(1);
  rotary.attention_factor = number("attention_factor").value_or(usual);
}

// Splits "p2c | c2p", in upper or lower case.
std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == '|') {
      words.emplace_back();
    } else if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      words.back().push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
    }
  }
  return words;
}

void read_terms(const JsonObject& fields, DisentangledAttention& attention) {
  constexpr const char* kField = "pos_att_type";
  const auto value = fields.nullable(kField);
  if (!value) return;
  const std::vector<std::string> names = value->is_string() ? split(value->string()) : *fields.strings(kField);
  for (const std::string& name : names) {
    if (name != "c2p" && name != "p2c") refuse_setting(fields, kField, quote(name, 60), "'c2p' and 'p2c'");
    (name == "c2p" ? attention.content_to_position : attention.position_to_content) = true;
  }
}

void read_distances(const JsonObject& fields, const ModelConfig& config, DisentangledAttention& attention) {
  constexpr int64_t kMost = 1 << 20;
  const auto number = [&](const char* name) {  // 0: absent, or not positive
    const int64_t value = fields.integer(name, {.min = -kMost, .max = kMost}).value_or(-1);
    return static_cast<size_t>(value > 0 ? value : 0);
  };
  attention.position_buckets = number("position_buckets");
  attention.max_relative_positions = number("max_relative_positions");
  if (attention.max_relative_positions == 0) attention.max_relative_positions = config.max_position_embeddings;
  const size_t buckets = attention.position_buckets;
  if (buckets == 1 || (buckets > 0 && attention.max_relative_positions <= buckets / 2 + 1)) {
    fields.refuse("position_buckets", "2 or more, and half of them below " +
                                          std::to_string(attention.max_relative_positions) +
                                          ", the farthest distance, minus 1");
  }
  for (const std::string& name : split(fields.string("norm_rel_ebd").value_or("none"))) {
    if (name != "layer_norm" && name != "none") {
      refuse_setting(fields, "norm_rel_ebd", quote(name, 60), "'layer_norm' or 'none'");
    }
    attention.normalizes_distances = attention.normalizes_distances || name == "layer_norm";
  }
}

// Reads the convolution of version 2's larger models.
void read_convolution(const JsonObject& fields, ModelConfig& config) {
  const int64_t width = fields.nullable_integer("conv_kernel_size", {.min = 0, .max = 63}).value_or(0);
  if (width == 0) return;
  if (width % 2 == 0) fields.refuse("conv_kernel_size", "an odd number");
  require(fields, "conv_groups", 1.0);
  ConvolutionConfig convolution{.width = static_cast<size_t>(width)};
  convolution.activation = fields.nullable_string("conv_act").value_or(convolution.activation);
  require_activation(fields, "conv_act", convolution.activation);
  config.convolution = convolution;
}

// Rejects parts of a few published models, each of which would change every value.
void refuse_unsupported_settings(const JsonObject& fields, const ModelConfig& config) {
  const auto hidden = static_cast<double>(config.hidden_size);
  require(fields, "embedding_size", hidden);
  require(fields, "pooler_hidden_size", hidden);
  require(fields, "attention_head_size", static_cast<double>(config.head_dim()));
  choice(fields, "pooler_hidden_act", {"gelu"});
}

}  // namespace

void refuse_setting(const JsonObject& fields, std::string_view field, const std::string& value,
                    const std::string& expected) {
  throw Error(ErrorCode::kUnsupported, quote_path(fields.source()) + ": " + fields.name(field) + " " + value +
                                           " is not supported, expected " + expected);
}

std::string choice(const JsonObject& fields, std::string_view field, std::initializer_list<std::string_view> values) {
  const std::string value = fields.nullable_string(field).value_or(std::string(*values.begin()));
  if (std::find(values.begin(), values.end(), value) == values.end()) {
    refuse_setting(fields, field, quote(value, 60), list(values));
  }
  return value;
}

ClassifierPooling read_classifier_pooling(const JsonObject& fields, std::string_view field,
                                          std::initializer_list<std::string_view> values) {
  const std::string value = choice(fields, field, values);
  if (value == "mean") return ClassifierPooling::kMean;
  return value == "late" ? ClassifierPooling::kLate : ClassifierPooling::kFirst;
}

void require(const JsonObject& fields, std::string_view field, bool value) {
  if (fields.nullable_boolean(field).value_or(value) == value) return;
  refuse_setting(fields, field, value ? "false" : "true", value ? "true" : "false");
}

void require(const JsonObject& fields, std::string_view field, double value) {
  const auto found = fields.nullable(field);
  if (!found || found->number() == value) return;
  std::string expected = std::to_string(value);  // "24.000000", "0.500000"
  expected.resize(expected.find_last_not_of('0') + 1);
  if (expected.ends_with('.')) expected.pop_back();
  refuse_setting(fields, field, json_excerpt(*found), expected);
}

size_t positive_integer(const JsonObject& fields, std::string_view field, int64_t otherwise, int64_t most) {
  return static_cast<size_t>(fields.nullable_integer(field, {.min = 1, .max = most}).value_or(otherwise));
}

void require_activation(const JsonObject& fields, std::string_view field, const std::string& name) {
  if (find_activation(name)) return;
  const std::string known =
      joined(named_activations(), ", ", [](const NamedActivation& activation) { return activation.name; });
  refuse_setting(fields, field, quote(name, 60), "one of " + known);
}

void read_rotary(const JsonObject& fields, double theta, ModelConfig& config) {
  require(fields, "partial_rotary_factor", 1.0);
  config.rotary.theta = fields.positive_number("rope_theta").value_or(theta);
  const auto scaling = fields.nullable_object("rope_scaling");
  const auto parameters = scaling && !scaling->json().empty() ? scaling : fields.nullable_object("rope_parameters");
  if (!parameters) return;
  read_rotary_parts({&*parameters, 1}, OlderNames::kRead, config, config.rotary, true);
  // original_max_position_embeddings beside rope_parameters has precedence over the one in it, as in the reference.
  if (config.rotary.scaling != RotaryScaling::kYarn && config.rotary.scaling != RotaryScaling::kLlama3) return;
  const auto trained = fields.nullable_integer("original_max_position_embeddings", {.min = 1, .max = 1 << 30});
  if (trained) config.rotary.trained_length = static_cast<size_t>(*trained);
}

void read_layered_rotary(const JsonObject& fields, const LayerThetas& thetas, ModelConfig& config) {
  require(fields, "partial_rotary_factor", 1.0);
  const auto theta = [&](const char* field, double otherwise) {
    return field == nullptr ? otherwise : fields.positive_number(field).value_or(otherwise);
  };
  config.rotary.theta = theta(thetas.field, thetas.theta);
  config.local_rotary.theta = theta(thetas.local_field, thetas.local_theta);
  const auto parameters = fields.nullable_object("rope_parameters");
  const auto scaling = fields.nullable_object("rope_scaling");
  for (const auto& [name, rotary] : {std::pair{kGlobal, &config.rotary}, std::pair{kLocal, &config.local_rotary}}) {
    std::vector<JsonObject> parts;
    if (parameters) {
      if (const auto part = parameters->nullable_object(name)) parts.push_back(*part);
    }
    if (scaling) parts.push_back(*scaling);
    // Without rope_parameters the reference sets rope_type itself: "default".
    const OlderNames older = parameters ? OlderNames::kRead : OlderNames::kUnread;
    if (!parts.empty()) read_rotary_parts(parts, older, config, *rotary);
  }
}

void read_local_layers(const JsonObject& fields, size_t first, size_t period, ModelConfig& config) {
  config.local_layers.assign(config.num_hidden_layers, true);
  if (!fields.nullable("layer_types")) {
    for (size_t layer = first; layer < config.num_hidden_layers; layer += period) config.local_layers[layer] = false;
    return;
  }
  const std::vector<std::string> types = *fields.strings("layer_types");
  if (types.size() != config.num_hidden_layers) {
    fields.refuse("layer_types", std::to_string(config.num_hidden_layers) + " names: as many as layers");
  }
  for (size_t layer = 0; layer < types.size(); ++layer) {
    if (types[layer] != kLocal && types[layer] != kGlobal) {
      refuse_setting(fields, "layer_types", quote(types[layer], 60), list({kGlobal, kLocal}));
    }
    config.local_layers[layer] = types[layer] == kLocal;
  }
}

std::vector<double> layer_numbers(const JsonObject& fields, std::string_view field, const ModelConfig& config) {
  std::vector<double> numbers;
  const auto list = fields.nullable(field);
  if (!list) return numbers;
  const std::string expected = std::to_string(config.num_hidden_layers) + " numbers: one for each layer";
  if (!list->is_array() || list->size() != config.num_hidden_layers) fields.refuse(field, expected);
  for (const Json element : list->elements()) {
    const std::optional<double> number = element.is_null() ? 0 : element.number();
    if (!number || *number < 0) fields.refuse(field, expected);
    numbers.push_back(*number);
  }
  return numbers;
}

void read_heads(const JsonObject& fields, ModelConfig& config, HeadSize size) {
  const auto heads = static_cast<int64_t>(config.num_attention_heads);
  const auto key_heads = fields.nullable_integer("num_key_value_heads", {.min = 1, .max = heads}).value_or(heads);
  if (heads % key_heads != 0) {
    fields.refuse("num_key_value_heads", "a divisor of num_attention_heads " + std::to_string(heads));
  }
  config.num_key_value_heads = static_cast<size_t>(key_heads);
  read_head_size(fields, size, config);
}

void read_head_size(const JsonObject& fields, HeadSize size, ModelConfig& config) {
  const auto dim = fields.nullable_integer("head_dim", {.min = 1, .max = 65536});
  if (!dim) return;
  if (size == HeadSize::kOwn) {
    config.head_size = static_cast<size_t>(*dim);
  } else if (static_cast<size_t>(*dim) != config.head_dim()) {
    refuse_setting(fields, "head_dim", std::to_string(*dim),
                   std::to_string(config.head_dim()) + ": hidden_size / num_attention_heads");
  }
}

void read_disentangled_attention(const JsonObject& fields, ModelConfig& config) {
  const auto types = fields.integer("type_vocab_size", {.min = 0, .max = 65536});
  if (types) config.type_vocab_size = static_cast<size_t>(*types);
  const bool adds_positions = fields.boolean("position_biased_input").value_or(true);
  DisentangledAttention attention;
  read_terms(fields, attention);
  attention.share_att_key = fields.boolean("share_att_key").value_or(false);
  if (fields.boolean("relative_attention").value_or(false) && attention.score_terms() > 1) {
    read_distances(fields, config, attention);
    config.position_embedding_type = adds_positions ? "disentangled_absolute" : "disentangled";
  } else if (attention.score_terms() > 1) {
    refuse_setting(fields, "relative_attention", "false", "true: pos_att_type is not empty");
  } else {
    config.position_embedding_type = adds_positions ? "absolute" : "none";
  }
  config.disentangled = attention;
  read_convolution(fields, config);
  refuse_unsupported_settings(fields, config);
}

}  // namespace bert
