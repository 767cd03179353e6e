#include "models/quantization.h"

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "bert/error.h"
#include "engine/base/quote.h"

namespace bert {
namespace {

// A part of quantization_config, where every field has one supported value.
class Fields {
 public:
  explicit Fields(JsonObject fields) : fields_(std::move(fields)) {}

  void expect(const char* key, const std::string& expected) const {
    if (fields_.nullable_string(key) != expected) refuse(key, quote(expected));
  }
  void expect_flag(const char* key, bool expected) const {
    const auto found = fields_.find(key);
    if (!found || !found->is_boolean() || found->boolean() != expected) refuse(key, expected ? "true" : "false");
  }
  void expect_8_bits() const {
    const auto found = fields_.find("num_bits");
    if (!found || found->unsigned_integer() != 8) refuse("num_bits", "8");
    expect("type", "int");
  }
  // Absent, null or empty.
  void expect_none(const char* key) const {
    const auto found = fields_.nullable(key);
    if (!found) return;
    if ((found->is_object() || found->is_array()) && found->empty()) return;
    refuse(key, "null");
  }

  // A field that this library does not know could change the numbers.
  void expect_only(std::initializer_list<std::string_view> known) const {
    for (const auto& [key, value] : fields_.json().members()) {
      if (std::find(known.begin(), known.end(), key) == known.end()) refuse(std::string(key).c_str(), "no such field");
    }
  }

  const JsonObject* operator->() const { return &fields_; }

  [[noreturn]] void refuse(const char* key, const std::string& expected) const {
    const auto found = fields_.find(key);
    throw Error(ErrorCode::kUnsupported, quote_path(fields_.source()) + ": " + fields_.name(key) + " " +
                                             (found ? json_excerpt(*found) : "is absent, which") +
                                             " is not supported, expected " + expected);
  }

 private:
  JsonObject fields_;
};

// Of weights or activations. What observed the numbers when scales were chosen does not matter.
void check_args(const Fields& args) {
  args.expect_only({"num_bits", "type", "symmetric", "strategy", "dynamic", "group_size", "block_structure", "actorder",
                    "scale_dtype", "zp_dtype", "observer", "observer_kwargs"});
  args.expect_8_bits();
  for (const char* key : {"group_size", "block_structure", "actorder", "scale_dtype"}) args.expect_none(key);
  if (args->nullable("zp_dtype")) args.expect("zp_dtype", "torch.int8");
}

void check_weights(const Fields& weights) {
  check_args(weights);
  weights.expect_flag("symmetric", true);
  weights.expect("strategy", "channel");
  if (weights->has("dynamic")) weights.expect_flag("dynamic", false);
}

bool has_symmetric_activations(const JsonObject& group) {
  const auto object = group.nullable_object("input_activations");
  if (!object) Fields(group).refuse("input_activations", "8-bit activations for each token");
  const Fields activations(*object);
  check_args(activations);
  activations.expect("strategy", "token");
  activations.expect_flag("dynamic", true);
  return activations->required_boolean("symmetric");
}

// Throws Error for targets that are neither of the two supported.
bool is_of_tables(const JsonObject& group) {
  const auto targets = group.strings("targets");
  if (targets == std::vector<std::string>{"Embedding"}) return true;
  if (targets == std::vector<std::string>{"Linear"}) return false;
  Fields(group).refuse("targets", "[\"Linear\"] or [\"Embedding\"]");
}

void check_group(const JsonObject& group) {
  const Fields fields(group);
  fields.expect_only({"targets", "weights", "input_activations", "output_activations", "format"});
  fields.expect_none("output_activations");
  if (is_of_tables(group)) fields.expect_none("input_activations");
  if (group.nullable("format")) fields.expect("format", "int-quantized");
  check_weights(Fields(group.required_object("weights")));
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

// One character of an expression: itself, or any; as often as there are such, or once.
struct Unit {
  char character;
  bool is_any;
  bool repeats;
};

struct Expression {
  std::vector<Unit> units;
  bool is_whole = false;  // ends in $
};

std::optional<Expression> parse(std::string_view text) {
  Expression expression;
  if (text.starts_with('^')) text.remove_prefix(1);
  if (text.ends_with('$') && !text.ends_with("\\$")) {
    expression.is_whole = true;
    text.remove_suffix(1);
  }
  for (size_t i = 0; i < text.size(); ++i) {
    Unit unit{text[i], text[i] == '.', false};
    if (text[i] == '\\') {
      if (++i == text.size() || is_plain(text[i])) return std::nullopt;  // a class of characters, such as \d
      unit = {text[i], false, false};
    } else if (!unit.is_any && !is_plain(text[i])) {
      return std::nullopt;
    }
    if (i + 1 < text.size() && text[i + 1] == '*') {
      unit.repeats = true;
      ++i;
    }
    expression.units.push_back(unit);
  }
  return expression;
}

// reached[i]: the first i units match the name so far.
bool begins(const Expression& expression, std::string_view name) {
  const std::vector<Unit>& units = expression.units;
  std::vector<bool> reached(units.size() + 1);
  reached[0] = true;
  const auto skip_repeats = [&] {
    for (size_t i = 0; i < units.size(); ++i) {
      if (reached[i] && units[i].repeats) reached[i + 1] = true;
    }
  };
  skip_repeats();
  for (const char c : name) {
    if (reached.back() && !expression.is_whole) return true;
    std::vector<bool> next(units.size() + 1);
    for (size_t i = 0; i < units.size(); ++i) {
      if (!reached[i] || !(units[i].is_any || units[i].character == c)) continue;
      next[units[i].repeats ? i : i + 1] = true;
    }
    reached = std::move(next);
    skip_repeats();
  }
  return reached.back();
}

bool matches(std::string_view entry, std::string_view layer) {
  if (!entry.starts_with("re:")) return entry == layer;
  const std::optional<Expression> expression = parse(entry.substr(3));
  if (!expression) {
    throw Error(ErrorCode::kUnsupported,
                "config.json: quantization_config.ignore " + quote(entry, 100) +
                    " is not supported, expected a name, or re: and letters, \".\" and \".*\"");
  }
  return begins(*expression, layer);
}

}  // namespace

Quantization read_quantization(const JsonObject& config) {
  const Fields fields(config);
  fields.expect("quant_method", "compressed-tensors");
  fields.expect_only({"quant_method", "format", "quantization_status", "global_compression_ratio", "version",
                      "kv_cache_scheme", "sparsity_config", "transform_config", "moe_sparsity_config", "config_groups",
                      "ignore"});
  fields.expect("format", "int-quantized");
  fields.expect("quantization_status", "compressed");
  for (const char* key : {"kv_cache_scheme", "sparsity_config", "transform_config", "moe_sparsity_config"}) {
    fields.expect_none(key);
  }
  Quantization quantization;
  size_t of_layers = 0, of_tables = 0;  // groups
  for (const auto& [name, json] : config.required_object("config_groups").json().members()) {
    const JsonObject group(json, config.source(), config.name("config_groups") + "." + std::string(name));
    const bool is_table = is_of_tables(group);
    ++(is_table ? of_tables : of_layers);
    if (!is_table) quantization.symmetric_activations = has_symmetric_activations(group);
    check_group(group);
  }
  if (of_layers != 1) fields.refuse("config_groups", "one group with the target \"Linear\"");
  if (of_tables > 1) fields.refuse("config_groups", "at most one group with the target \"Embedding\"");
  quantization.int8_tables = of_tables == 1;
  if (config.nullable("ignore")) quantization.ignore = *config.strings("ignore");
  return quantization;
}

bool is_ignored(const Quantization& quantization, std::string_view layer) {
  return std::any_of(quantization.ignore.begin(), quantization.ignore.end(),
                     [&](const std::string& entry) { return matches(entry, layer); });
}

const char* precision_name(WeightFormat format) {
  switch (format) {
    case WeightFormat::kF32:
      return "float32";
    case WeightFormat::kF16:
      return "float16";
    case WeightFormat::kBF16:
      return "bfloat16";
    case WeightFormat::kI8:
    case WeightFormat::kI8Symmetric:
      return "int8";
  }
  return "";
}

void check_ignored(const Quantization& quantization, const WeightStorage& weights) {
  constexpr std::string_view kEnding = ".weight";
  const auto tensors = weights.checkpoint.tensors();
  for (size_t i = 0; i < tensors.size(); ++i) {
    const StoredTensor& tensor = tensors[i];
    const bool is_linear = weights.roles[i] == WeightRole::kProjection || weights.roles[i] == WeightRole::kHead;
    const bool is_table = weights.roles[i] == WeightRole::kTable;
    if (!(is_linear || is_table) || tensor.shape.size() != 2 || !tensor.name.ends_with(kEnding)) continue;
    const bool is_int8 = tensor.type->dtype == DType::kI8;
    if (is_table && !quantization.int8_tables) {
      if (!is_int8) continue;
      throw Error(ErrorCode::kInvalidFile, "tensor " + quote(tensor.name) + " in " +
                                               quote_path(weights.checkpoint.file_of(tensor)) +
                                               ": type I8, expected floats: quantization_config has no group with the "
                                               "target \"Embedding\"");
    }
    if (is_ignored(quantization, tensor.name.substr(0, tensor.name.size() - kEnding.size())) != is_int8) continue;
    throw Error(ErrorCode::kInvalidFile, "tensor " + quote(tensor.name) + " in " +
                                             quote_path(weights.checkpoint.file_of(tensor)) + ": type " +
                                             std::string(tensor.type->name) + ", expected " +
                                             (is_int8 ? "floats: quantization_config.ignore has this layer"
                                                      : "I8: quantization_config.ignore does not have this layer"));
  }
}

}  // namespace bert
