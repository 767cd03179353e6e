#include "models/config/tag_biases.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "bert/error.h"
#include "engine/base/json/json_object.h"
#include "engine/base/quote.h"
#include "models/config/config.h"

namespace bert {
namespace {

constexpr std::string_view kFile = "viterbi_calibration.json";

// Returns the only member.
JsonObject only_part(const JsonObject& fields, std::string_view key) {
  for (const auto& [name, value] : fields.json().members()) {
    if (name != key) fields.refuse(name, "no such field: " + std::string(key) + " alone");
  }
  return fields.required_object(key);
}

struct Bias {
  std::string_view name;
  double TagBiases::*value;
};

constexpr Bias kBiases[] = {{"transition_bias_background_stay", &TagBiases::background_stay},
                            {"transition_bias_background_to_start", &TagBiases::background_to_start},
                            {"transition_bias_inside_to_continue", &TagBiases::inside_to_continue},
                            {"transition_bias_inside_to_end", &TagBiases::inside_to_end},
                            {"transition_bias_end_to_background", &TagBiases::end_to_background},
                            {"transition_bias_end_to_start", &TagBiases::end_to_start}};

TagBiases read_biases(const JsonObject& fields) {
  TagBiases biases;
  for (const Bias& bias : kBiases) {
    const auto found = fields.find(bias.name);
    const auto number = found ? found->number() : std::nullopt;
    if (!number || !std::isfinite(*number)) fields.refuse(bias.name, "a number");
    biases.*bias.value = *number;
  }
  for (const auto& [name, value] : fields.json().members()) {
    const auto is_name = [&, key = std::string_view(name)](const Bias& bias) { return bias.name == key; };
    if (std::none_of(std::begin(kBiases), std::end(kBiases), is_name)) fields.refuse(name, "no such field");
  }
  return biases;
}

bool is_bioes(const std::string& label) {
  return label == "O" || (label.size() > 2 && label[1] == '-' && std::string_view("BIES").find(label[0]) != label.npos);
}

}  // namespace

std::optional<TagBiases> read_tag_biases(const FileSource& files, const ModelConfig& config) {
  const std::optional<std::string> text = files.read(std::string(kFile), kMaxModelFile);
  if (!text) return std::nullopt;
  const std::string name = files.display_name(std::string(kFile));
  const JsonDocument document = parse_json(*text, name, {.max_bytes = kMaxModelFile});
  const JsonObject points = only_part(JsonObject(document.root(), name), "operating_points");
  const TagBiases biases = read_biases(only_part(only_part(points, "default"), "biases"));
  for (const std::optional<std::string>& label : config.labels) {
    if (label && is_bioes(*label)) continue;
    throw Error(ErrorCode::kUnsupported, quote_path(name) + ": biases of BIOES labels, beside a model with the label " +
                                             (label ? quote(*label, 60) : "null") +
                                             ", expected O and labels that begin with B-, I-, E- or S-");
  }
  return biases;
}

}  // namespace bert
