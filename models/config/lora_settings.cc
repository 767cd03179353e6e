#include "models/config/lora_settings.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <span>

#include "bert/error.h"
#include "engine/base/quote.h"
#include "models/config/attention_settings.h"

namespace bert {
namespace {

constexpr const char* kLoraFile = "adapter_config.json";
constexpr int64_t kMostRank = 65536;
constexpr size_t kMostPatterns = 1 << 16, kMostSignBytes = 1 << 14;
constexpr std::string_view kSigns = "\\*+?^$";

// Settings that change no number of the result: notes, how the matrices were initialised, or what the tensors show
// anyway.
constexpr std::string_view kWithoutEffect[] = {"auto_mapping",    "base_model_name_or_path", "bias",
                                               "exclude_modules", "fan_in_fan_out",          "inference_mode",
                                               "layers_pattern",  "layers_to_transform",     "lora_dropout",
                                               "megatron_core",   "modules_to_save",         "peft_type",
                                               "peft_version",    "qalora_group_size",       "revision",
                                               "target_modules",  "ensure_weight_tying",     "eva_config",
                                               "corda_config",    "lora_ga_config",          "loftq_config"};
constexpr std::string_view kRead[] = {"alpha_pattern", "init_lora_weights", "lora_alpha", "r",
                                      "rank_pattern",  "task_type",         "use_rslora"};

// One part of a pattern: which characters it matches, and how often.
struct Part {
  enum class Kind : uint8_t { kCharacter, kAny, kDigit } kind;
  char character;
  bool is_optional = false;
  bool repeats = false;

  bool fits(char c) const {
    if (kind == Kind::kAny) return true;
    return kind == Kind::kDigit ? std::isdigit(static_cast<unsigned char>(c)) != 0 : c == character;
  }
};

bool is_name_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; }

// Returns false if the pattern has other characters.
bool parse_pattern(std::string_view pattern, std::vector<Part>& parts) {
  if (pattern.starts_with('^')) pattern.remove_prefix(1);
  if (pattern.ends_with('$')) pattern.remove_suffix(1);
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (is_name_character(c)) {
      parts.push_back({Part::Kind::kCharacter, c});
    } else if (c == '.') {
      parts.push_back({Part::Kind::kAny, c});
    } else if (c == '\\' && i + 1 < pattern.size() && (pattern[i + 1] == '.' || pattern[i + 1] == 'd')) {
      const char next = pattern[++i];
      parts.push_back({next == 'd' ? Part::Kind::kDigit : Part::Kind::kCharacter, next});
    } else if ((c == '*' || c == '+' || c == '?') && !parts.empty() && !parts.back().is_optional &&
               !parts.back().repeats) {
      parts.back().is_optional = c != '+';
      parts.back().repeats = c != '?';
    } else {
      return false;
    }
  }
  return true;
}

// Returns whether the parts match the whole text. It tracks all places of the pattern that the text may have reached,
// character by character, so the time is bounded by the product of the lengths.
bool fit(const std::vector<Part>& parts, std::string_view text) {
  std::vector<bool> reached(parts.size() + 1, false);
  const auto skip_optional = [&] {
    for (size_t i = 0; i < parts.size(); ++i) {
      if (reached[i] && parts[i].is_optional) reached[i + 1] = true;
    }
  };
  reached[0] = true;
  skip_optional();
  for (const char c : text) {
    std::vector<bool> next(parts.size() + 1, false);
    for (size_t i = 0; i < parts.size(); ++i) {
      if (!reached[i] || !parts[i].fits(c)) continue;
      next[i + 1] = true;
      if (parts[i].repeats) next[i] = true;
    }
    reached.swap(next);
    skip_optional();
  }
  return reached[parts.size()];
}

bool is_empty(const Json& value) {
  return value.is_null() || (value.is_boolean() && !value.boolean()) || (value.is_object() && value.empty()) ||
         (value.is_array() && value.empty());
}

bool is_in(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::pair<std::string, double>> read_patterns(const JsonObject& fields, const char* key) {
  std::vector<std::pair<std::string, double>> patterns;
  const auto object = fields.nullable_object(key);
  if (!object) return patterns;
  if (object->json().size() > kMostPatterns) {
    fields.refuse(key, "at most " + std::to_string(kMostPatterns) + " patterns");
  }
  size_t sign_bytes = 0;  // total size of patterns that are not plain names, since each is tried for each module
  for (const auto& [pattern, value] : object->json().members()) {
    std::vector<Part> parts;
    if (!parse_pattern(pattern, parts)) {
      refuse_setting(fields, key, quote(pattern, 80), "names of modules, with no signs but . \\. \\d * + ? ^ $");
    }
    if (pattern.find_first_of(kSigns) != pattern.npos) sign_bytes += pattern.size();
    if (sign_bytes > kMostSignBytes) {
      fields.refuse(key, "at most " + std::to_string(kMostSignBytes) + " bytes of patterns with signs other than '.'");
    }
    patterns.emplace_back(std::string(pattern), object->positive_number(pattern).value());
  }
  return patterns;
}

// Accepts only kinds of initialisation that leave the base model's weights unchanged.
void check_start(const JsonObject& fields) {
  const auto start = fields.nullable("init_lora_weights");
  if (!start || start->is_boolean()) return;
  const std::string name = start->is_string() ? std::string(start->string()) : json_excerpt(*start);
  for (const char* known : {"gaussian", "eva", "orthogonal", "mica"}) {
    if (name == known) return;
  }
  refuse_setting(fields, "init_lora_weights", quote(name, 60),
                 "true, false, gaussian, eva, orthogonal or mica: others change the base model's weights");
}

std::string head_class_of(const JsonObject& fields) {
  const std::string task = fields.nullable_string("task_type").value_or("");
  if (task == "SEQ_CLS") return "ForSequenceClassification";
  if (task == "TOKEN_CLS") return "ForTokenClassification";
  if (task == "QUESTION_ANS") return "ForQuestionAnswering";
  return "";
}

}  // namespace

bool names_module(std::string_view pattern, std::string_view module) {
  if (pattern.find_first_of(kSigns) == pattern.npos) {
    if (pattern.size() > module.size()) return false;
    const size_t start = module.size() - pattern.size();
    const auto fits = [](char sign, char c) { return sign == '.' || sign == c; };
    return std::equal(pattern.rbegin(), pattern.rend(), module.rbegin(), fits) &&
           (start == 0 || module[start - 1] == '.') &&
           std::all_of(pattern.begin(), pattern.end(), [](char c) { return c == '.' || is_name_character(c); });
  }
  std::vector<Part> parts;
  if (!parse_pattern(pattern, parts)) return false;
  for (size_t start = 0; start != module.npos;) {
    if (fit(parts, module.substr(start))) return true;
    if (pattern.starts_with('^')) return false;  // matches only whole names
    const size_t dot = module.find('.', start);
    start = dot == module.npos ? dot : dot + 1;
  }
  return false;
}

double LoraSettings::scale(std::string_view module, size_t rows) const {
  const auto of_module = [&](const std::vector<std::pair<std::string, double>>& patterns, double otherwise) {
    const auto match = std::find_if(patterns.begin(), patterns.end(),
                                    [&](const auto& pattern) { return names_module(pattern.first, module); });
    return match == patterns.end() ? otherwise : match->second;
  };
  const double rank_of_module = of_module(ranks, rank);
  if (rank_of_module != static_cast<double>(rows)) {
    throw Error(ErrorCode::kInvalidFile,
                quote_path(source) + ": rank " + std::to_string(static_cast<int64_t>(rank_of_module)) + " of " +
                    quote(module, 120) + ", expected " + std::to_string(rows) + ", the rows of its lora_A");
  }
  return of_module(alphas, alpha) / (root_of_rank ? std::sqrt(rank_of_module) : rank_of_module);
}

LoraSettings read_lora_settings(const JsonObject& fields) {
  const std::string type = fields.nullable_string("peft_type").value_or("");
  if (type != "LORA") refuse_setting(fields, "peft_type", quote(type, 60), "LORA");
  if (fields.nullable_boolean("use_dora").value_or(false)) {
    refuse_setting(fields, "use_dora", "true (DoRA)", "false: a change of each weight by a product of two matrices");
  }
  for (const auto& [key, value] : fields.json().members()) {
    if (!is_empty(value) && !is_in(kWithoutEffect, key) && !is_in(kRead, key)) {
      refuse_setting(fields, key, json_excerpt(value), "none, as it changes the numbers or is unknown");
    }
  }
  check_start(fields);
  LoraSettings settings;
  settings.source = fields.source();
  settings.rank = static_cast<double>(fields.integer("r", {.min = 1, .max = kMostRank}).value_or(8));
  settings.alpha = fields.positive_number("lora_alpha").value_or(8);
  settings.root_of_rank = fields.nullable_boolean("use_rslora").value_or(false);
  settings.ranks = read_patterns(fields, "rank_pattern");
  settings.alphas = read_patterns(fields, "alpha_pattern");
  settings.base_model = fields.nullable_string("base_model_name_or_path").value_or("");
  settings.head_class = head_class_of(fields);
  return settings;
}

LoraSettings read_lora_settings(const FileSource& files) {
  const std::string name = files.display_name(kLoraFile);
  const std::optional<std::string> text = files.read(kLoraFile, kMaxModelFile);
  if (!text)
    throw Error(ErrorCode::kNotFound, quote_path(name) + ": no such file, expected the settings of a LoRA adapter");
  std::vector<std::string> unheard;
  const JsonDocument document = parse_json(*text, name, {.max_bytes = kMaxModelFile, .notices = &unheard});
  return read_lora_settings(JsonObject(document.root(), name));
}

}  // namespace bert
