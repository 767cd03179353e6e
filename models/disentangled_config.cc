#include "models/disentangled_config.h"

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "bert/error.h"
#include "engine/base/quote.h"

namespace bert {
namespace {

[[noreturn]] void unsupported(const JsonObject& fields, const char* field, const std::string& value,
                              const std::string& expected) {
  throw Error(ErrorCode::kUnsupported,
              quote_path(fields.source()) + ": " + field + " " + value + " is not supported, expected " + expected);
}

// "p2c | c2p", in any case.
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
    if (name != "c2p" && name != "p2c") unsupported(fields, kField, quote(name, 60), "'c2p' and 'p2c'");
    (name == "c2p" ? attention.content_to_position : attention.position_to_content) = true;
  }
}

void read_distances(const JsonObject& fields, const ModelConfig& config, DisentangledAttention& attention) {
  constexpr int64_t kMost = 1 << 20;
  const auto number = [&](const char* name) {  // 0: not given, or not positive
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
      unsupported(fields, "norm_rel_ebd", quote(name, 60), "'layer_norm' or 'none'");
    }
    attention.normalizes_distances = attention.normalizes_distances || name == "layer_norm";
  }
}

// Parts of a few published models, each of which would change every value.
void refuse_what_is_not_done(const JsonObject& fields, const ModelConfig& config) {
  const auto refuse_other = [&](const char* name, int64_t expected) {
    const auto value = fields.nullable_integer(name, {.min = 0, .max = 1 << 20});
    if (value && *value != expected) unsupported(fields, name, std::to_string(*value), std::to_string(expected));
  };
  refuse_other("conv_kernel_size", 0);
  refuse_other("embedding_size", static_cast<int64_t>(config.hidden_size));
  refuse_other("pooler_hidden_size", static_cast<int64_t>(config.hidden_size));
  refuse_other("attention_head_size", static_cast<int64_t>(config.head_dim()));
  const std::string act = fields.string("pooler_hidden_act").value_or("gelu");
  if (act != "gelu") unsupported(fields, "pooler_hidden_act", quote(act, 60), "'gelu'");
}

}  // namespace

void read_disentangled_attention(const JsonObject& fields, ModelConfig& config) {
  const bool adds_positions = fields.boolean("position_biased_input").value_or(true);
  DisentangledAttention attention;
  read_terms(fields, attention);
  attention.share_att_key = fields.boolean("share_att_key").value_or(false);
  if (fields.boolean("relative_attention").value_or(false) && attention.score_terms() > 1) {
    read_distances(fields, config, attention);
    config.position_embedding_type = adds_positions ? "disentangled_absolute" : "disentangled";
  } else if (attention.score_terms() > 1) {
    unsupported(fields, "relative_attention", "false", "true: pos_att_type is not empty");
  } else {
    config.position_embedding_type = adds_positions ? "absolute" : "none";
  }
  config.disentangled = attention;
  refuse_what_is_not_done(fields, config);
}

}  // namespace bert
