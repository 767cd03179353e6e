#include "models/config/quantization.h"

#include <algorithm>
#include <initializer_list>

#include "bert/error.h"
#include "engine/base/quote.h"

namespace bert {
namespace {

// A part of quantization_config, in which every field has one supported value.
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
  // Throws unless the field is absent, null or empty.
  void expect_none(const char* key) const {
    const auto found = fields_.nullable(key);
    if (!found) return;
    if ((found->is_object() || found->is_array()) && found->empty()) return;
    refuse(key, "null");
  }

  // Throws for unknown fields, which could change the numbers.
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

// Checks the arguments of weights or activations. Which observer chose the scales does not matter.
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

// Returns whether a group's targets are tables. Throws Error for targets that are neither supported kind.
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

// Returns the reference library's name for the layer of a stored tensor.
std::string reference_name(std::string layer, std::span<const RenamedPart> renamed) {
  for (const RenamedPart& part : renamed) {
    if (const size_t at = layer.find(part.stored); at != std::string::npos) {
      layer.replace(at, part.stored.size(), part.reference);
    }
  }
  return layer;
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
  size_t of_layers = 0, of_tables = 0;  // numbers of groups
  const JsonObject groups = config.required_object("config_groups");
  for (const auto& [name, json] : groups.json().members()) {
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

IgnoredLayers::IgnoredLayers(const Quantization& quantization, std::span<const RenamedPart> renamed)
    : renamed_(renamed) {
  constexpr std::string_view kMark = "re:";
  for (const std::string& entry : quantization.ignore) {
    if (entry.starts_with(kMark)) {
      // Matches at the name's beginning, as Python's re.match does.
      expressions_.push_back(std::make_unique<RegularExpression>("\\A(?:" + entry.substr(kMark.size()) + ")",
                                                                 "config.json: quantization_config.ignore"));
    } else {
      names_.push_back(entry);
    }
  }
}

bool IgnoredLayers::has(std::string_view layer, std::string_view kind) const {
  const std::string names[] = {std::string(layer), reference_name(std::string(layer), renamed_)};
  for (const std::string& name : names) {
    if (std::find(names_.begin(), names_.end(), name) != names_.end()) return true;
    for (const auto& expression : expressions_) {
      std::vector<TextRange> matches;
      expression->find(name, matches);
      if (!matches.empty()) return true;
    }
  }
  return std::find(names_.begin(), names_.end(), kind) != names_.end();
}

const char* precision_name(const WeightView& weight) {
  if (weight.arithmetic == ProductArithmetic::kBFloat16) return "bfloat16";
  switch (weight.format) {
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

void check_ignored(const Quantization& quantization, std::span<const RenamedPart> renamed,
                   const WeightStorage& weights) {
  const IgnoredLayers ignored(quantization, renamed);
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
      weights.checkpoint.refuse(
          tensor, ErrorCode::kInvalidFile,
          "type I8, expected floats: quantization_config has no group with the target \"Embedding\"");
    }
    const std::string_view layer = tensor.name.substr(0, tensor.name.size() - kEnding.size());
    if (ignored.has(layer, is_table ? "Embedding" : "Linear") != is_int8) continue;
    weights.checkpoint.refuse(tensor, ErrorCode::kInvalidFile,
                              "type " + std::string(tensor.type->name) + ", expected " +
                                  (is_int8 ? "floats: quantization_config.ignore has this layer"
                                           : "I8: quantization_config.ignore does not have this layer"));
  }
}

}  // namespace bert
