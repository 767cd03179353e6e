#include "models/config/disentangled_config.h"

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/quote.h"
#include "models/config/attention_settings.h"

namespace bert {
namespace {

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
