#include "models/config/config.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>

#include "bert/error.h"
#include "engine/base/joined.h"
#include "engine/base/json/json_object.h"
#include "engine/base/quote.h"
#include "models/config/attention_settings.h"
#include "models/config/family.h"
#include "models/config/positions.h"
#include "models/config/quantization.h"

namespace bert {
namespace {

constexpr int64_t kMaxLabels = 1 << 20;

class ConfigReader {
 public:
  ConfigReader(JsonObject fields, std::vector<std::string>* notices) : fields_(std::move(fields)), notices_(notices) {}

  ModelConfig read() {
    read_family();
    const JsonObject whole = fields_;
    if (family_->sizes_in != nullptr) {
      const auto part = fields_.nullable_object(family_->sizes_in);
      if (!part) fields_.refuse(family_->sizes_in, "an object: the encoder's settings");
      fields_ = *part;
    }
    read_sizes();
    read_functions();
    fields_ = whole;
    if (family_->read_settings != nullptr) family_->read_settings(fields_, config_);
    check_heads();
    check_rotary();
    check_places_of_positions();
    refuse_unsupported_settings();
    if (const auto quantization = fields_.nullable_object("quantization_config")) {
      config_.quantization = read_quantization(*quantization);
    }
    config_.bfloat16_products = reads_bfloat16_precision();
    read_labels();
    read_activation_fn();
    return std::move(config_);
  }

 private:
  [[noreturn]] void unsupported(const char* field, const std::string& value, const std::string& expected) const {
    refuse_setting(fields_, field, value, expected);
  }

  // Returns whether the file has the field that quantize() writes (bert/quantize.h).
  bool reads_bfloat16_precision() const {
    const auto precision = fields_.nullable_string("bert_infer_precision");
    if (precision && precision != "bfloat16") unsupported("bert_infer_precision", quote(*precision), "\"bfloat16\"");
    return precision.has_value();
  }

  // Finds the family. A file from before 2020 has no model_type; the class names in `architectures` then identify it.
  void read_family() {
    std::vector<std::string> architectures;
    if (fields_.nullable("architectures")) architectures = *fields_.strings("architectures");
    const std::string type = fields_.string("model_type").value_or("");
    const std::string positions = fields_.string("position_embedding_type").value_or("");
    family_ = find_family(type.empty() && architectures.empty() ? ModelConfig().model_type : type, positions);
    std::vector<std::string_view> names;
    for (const Family* family : families()) {
      if (std::find(names.begin(), names.end(), family->model_type) == names.end()) {
        names.push_back(family->model_type);
      }
      const bool is_class =
          type.empty() && !architectures.empty() && architectures[0].starts_with(family->class_prefix);
      if (family_ == nullptr && is_class) family_ = family;
    }
    if (family_ == nullptr) {
      const std::string of_its_own =
          fields_.has("auto_map") ? " (auto_map: the model brings code of its own, which is never run)" : "";
      if (!type.empty()) unsupported("model_type", quote(type, 60) + of_its_own, joined(names, ", "));
      unsupported("architectures", quote(architectures[0], 60) + " without model_type" + of_its_own,
                  joined(names, ", "));
    }
    config_ = default_config(*family_);
    config_.architectures = std::move(architectures);
  }

  void read_sizes() {
    const ConfigFields names = fields();
    const auto read = [&](size_t& value, const char* name, int64_t max) {
      if (name != nullptr) value = size(name, value, max);
    };
    read(config_.vocab_size, "vocab_size", 1 << 24);
    read(config_.hidden_size, names.hidden_size, 65536);
    read(config_.num_hidden_layers, names.num_hidden_layers, 1000);
    read(config_.num_attention_heads, names.num_attention_heads, 1024);
    read(config_.intermediate_size, names.intermediate_size, 1 << 20);
    read(config_.max_position_embeddings, names.max_position_embeddings, 1 << 20);
    read(config_.type_vocab_size, names.type_vocab_size, 65536);
    read(config_.embedding_size, names.embedding_size, 65536);
    if (names.num_hidden_groups != nullptr) read_groups();
    // A negative id counts from the vocabulary's end, as in the reference.
    const auto vocab = static_cast<int64_t>(config_.vocab_size);
    const auto id = fields_.nullable_integer("pad_token_id", {.min = -vocab, .max = vocab - 1});
    if (id) config_.pad_token_id = static_cast<int32_t>(*id);
    if (family_->positions_skip_padding) read_position_padding();
  }

  ConfigFields fields() const {
    const ConfigFields* older = family_->older_fields;
    ConfigFields names = older != nullptr && fields_.has(older->hidden_size) ? *older : family_->fields;
    if (!names.usual_names_count) return names;
    const ConfigFields usual;
    for (const auto member : {&ConfigFields::hidden_size, &ConfigFields::num_hidden_layers,
                              &ConfigFields::num_attention_heads, &ConfigFields::max_position_embeddings}) {
      if (fields_.nullable(usual.*member)) names.*member = usual.*member;
    }
    if (names.usual_intermediate_size_counts && fields_.nullable(usual.intermediate_size)) {
      names.intermediate_size = usual.intermediate_size;
    }
    return names;
  }

  size_t size(const char* name, size_t otherwise, int64_t max) const {
    return static_cast<size_t>(fields_.integer(name, {.min = 1, .max = max}).value_or(static_cast<int64_t>(otherwise)));
  }

  // Reads the two settings that say how layers share weights. Throws Error for values with which the reference fails.
  void read_groups() {
    const ConfigFields names = fields();
    const auto layers = static_cast<int64_t>(config_.num_hidden_layers);
    config_.num_hidden_groups = size(names.num_hidden_groups, 1, layers);
    const auto most = layers / static_cast<int64_t>(config_.num_hidden_groups);
    config_.inner_group_num = size(names.inner_group_num, 1, most);
  }

  void read_position_padding() {
    const int32_t id = family_->padding_of_positions.value_or(config_.pad_token_id);
    const auto positions = static_cast<int64_t>(config_.max_position_embeddings);
    if (id < 0) fields_.refuse("pad_token_id", "0 or more: positions are counted from it");
    if (id + 2 > positions) {
      fields_.refuse("max_position_embeddings", "more than " + std::to_string(id + 1) + ": positions begin there");
    }
    config_.position_padding_id = id;
  }

  void read_functions() {
    const ConfigFields names = fields();
    if (names.hidden_act != nullptr) config_.hidden_act = fields_.string(names.hidden_act).value_or(config_.hidden_act);
    if (names.hidden_act != nullptr) require_activation(fields_, names.hidden_act, config_.hidden_act);
    if (names.layer_norm_eps != nullptr) {
      config_.layer_norm_eps = fields_.positive_number(names.layer_norm_eps).value_or(config_.layer_norm_eps);
    }
    if (names.position_embedding_type != nullptr) read_positions(names.position_embedding_type);
    read_places_of_positions();
    config_.tie_word_embeddings = fields_.boolean("tie_word_embeddings").value_or(config_.tie_word_embeddings);
  }

  void read_positions(const char* field) {
    config_.position_embedding_type = fields_.string(field).value_or(config_.position_embedding_type);
    const PositionScheme* scheme = find_position_scheme(config_.position_embedding_type);
    std::vector<std::string_view> known;
    for (const PositionScheme& other : position_schemes()) {
      if (!other.of_family) known.push_back(other.name);
    }
    if (scheme == nullptr || scheme->of_family) {
      unsupported(field, quote(config_.position_embedding_type, 60), "one of " + joined(known, ", "));
    }
  }

  void read_places_of_positions() {
    constexpr const char* kField = "position_embeddings_at";
    const std::string at = fields_.string(kField).value_or("input");
    if (at != "input" && at != "every-layer") unsupported(kField, quote(at, 60), "\"input\" or \"every-layer\"");
    config_.positions_at_every_layer = at == "every-layer";
  }

  void check_places_of_positions() {
    if (!config_.positions_at_every_layer) return;
    const std::string reason = why_not_at_every_layer(config_, projects_embeddings(config_, *family_));
    if (!reason.empty()) fields_.refuse("position_embeddings_at", "\"input\": " + reason);
  }

  void check_heads() const {
    if (config_.head_size > 0 || config_.hidden_size % config_.num_attention_heads == 0) return;
    const ConfigFields names = fields();
    fields_.refuse(names.hidden_size, std::string("a multiple of ") + names.num_attention_heads + " " +
                                          std::to_string(config_.num_attention_heads));
  }

  // Checks that heads have pairs of numbers to rotate; if theta grows with the length, its exponent is head_dim /
  // (head_dim - 2).
  void check_rotary() {
    if (position_scheme(config_).distances != ScoreDistances::kRotary) return;
    const size_t head_dim = config_.head_dim();
    const bool grows =
        config_.rotary.scaling == RotaryScaling::kDynamic || config_.local_rotary.scaling == RotaryScaling::kDynamic;
    if (head_dim % 2 == 0 && !(grows && head_dim == 2)) return;
    const std::string even = grows ? "an even number of at least 4" : "an even number";
    if (config_.head_size > 0) {
      unsupported("head_dim", std::to_string(head_dim), even + ": the heads have rotary positions");
    }
    unsupported(fields().hidden_size, std::to_string(config_.hidden_size),
                std::to_string(config_.num_attention_heads) + " (" + fields().num_attention_heads + ") times " + even +
                    ": the heads have rotary positions");
  }

  void refuse_unsupported_settings() {
    for (const char* name : {"is_decoder", "add_cross_attention"}) {
      if (fields_.boolean(name).value_or(false)) unsupported(name, "true", "false: an encoder");
    }
    const auto pruned = fields_.find("pruned_heads");
    if (!pruned) return;
    if (!pruned->is_object() && !pruned->is_array()) fields_.refuse("pruned_heads", "an object");
    if (!pruned->empty()) unsupported("pruned_heads", json_excerpt(*pruned), "{}");
  }

  // Reads the labels. A number of labels that contradicts id2label wins, as in the reference: outputs then have default
  // names.
  void read_labels() {
    const std::string problem = fields_.nullable_string("problem_type").value_or("");
    config_.problem_type = problem == "regression"                    ? ProblemType::kRegression
                           : problem == "single_label_classification" ? ProblemType::kSingleLabel
                           : problem == "multi_label_classification"  ? ProblemType::kMultiLabel
                                                                      : ProblemType::kUnspecified;
    const auto count = fields_.integer("num_labels", {.min = 1, .max = kMaxLabels});
    const bool has_names = fields_.has("id2label") && !fields_.is_null("id2label");
    if (has_names) read_id2label(count.has_value());
    if (!has_names && fields_.has("label2id") && !fields_.is_null("label2id")) {
      notice("label2id without id2label is not read, as in the reference library");
    }
    if (!count || (has_names && config_.labels.size() == static_cast<size_t>(*count))) return;
    if (has_names) {
      notice("id2label has " + std::to_string(config_.labels.size()) + " labels and num_labels is " +
             std::to_string(*count) + ": the labels are LABEL_0, LABEL_1, …, as in the reference library");
    }
    config_.labels = default_labels(static_cast<size_t>(*count));
  }

  void read_activation_fn() {
    constexpr const char* kOldKey = "sbert_ce_default_activation_function";  // the name before sentence-transformers 4
    if (const auto library = fields_.nullable_object("sentence_transformers")) {
      config_.activation_fn = library->nullable_string("activation_fn").value_or("");
    }
    if (config_.activation_fn.empty()) config_.activation_fn = fields_.nullable_string(kOldKey).value_or("");
  }

  // Reads {"0": "NEGATIVE", "1": "POSITIVE"}: a label for each output of the head. The head has as many outputs as the
  // map has indices; these need not be 0, 1, …, so an output may lack a label.
  void read_id2label(bool may_be_empty) {
    const Json map = *fields_.find("id2label");
    const std::string expected = "an object from whole numbers to strings, numbers or null, at least one";
    if (!map.is_object() || (map.empty() && !may_be_empty)) fields_.refuse("id2label", expected);
    std::map<int64_t, std::optional<std::string>> labels;
    for (const auto& [key, label] : map.members()) {
      const std::optional<int64_t> index = label_index(key);
      if (!index || !(label.is_string() || label.is_number() || label.is_null())) {
        fields_.refuse("id2label", expected + ", found " + quote(key, 60) + ": " + json_excerpt(label));
      }
      labels[*index] = label.is_null() ? std::nullopt : std::optional<std::string>(label.string());
    }
    config_.labels.assign(labels.size(), std::nullopt);
    for (auto& [index, label] : labels) {
      const bool has_output = index >= 0 && static_cast<size_t>(index) < config_.labels.size();
      if (has_output) config_.labels[static_cast<size_t>(index)] = std::move(label);
    }
  }

  // Parses "7", "007", "-1": a key as the reference's int() reads it, except spaces, underscores and non-ASCII digits.
  static std::optional<int64_t> label_index(std::string_view key) {
    int64_t index = 0;
    if (key.starts_with('+') && !key.starts_with("+-")) key.remove_prefix(1);
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
    return error == std::errc() && end == key.data() + key.size() ? std::optional<int64_t>(index) : std::nullopt;
  }

  void notice(const std::string& what) const {
    if (notices_ != nullptr) notices_->push_back(quote_path(fields_.source()) + ": " + what);
  }

  JsonObject fields_;
  std::vector<std::string>* notices_;
  const Family* family_ = nullptr;
  ModelConfig config_;
};

}  // namespace

ModelConfig parse_config(std::string_view json, std::string_view source, std::vector<std::string>* notices) {
  std::vector<std::string> unheard;
  const JsonDocument document =
      parse_json(json, source, {.max_bytes = kMaxModelFile, .notices = notices != nullptr ? notices : &unheard});
  return read_config(JsonObject(document.root(), source), notices);
}

ModelConfig read_config(const JsonObject& fields, std::vector<std::string>* notices) {
  return ConfigReader(fields, notices).read();
}

ModelConfig read_config(const FileSource& files, std::vector<std::string>* notices) {
  const std::string name = files.display_name("config.json");
  const std::optional<std::string> text = files.read("config.json", kMaxModelFile);
  if (text && notices != nullptr && files.read("adapter_config.json", kMaxModelFile)) {
    notices->push_back(quote_path(files.display_name("adapter_config.json")) +
                       ": an adapter (LoRA), which is not applied to the model beside it unless it is named "
                       "(--adapter)");
  }
  if (!text) throw Error(ErrorCode::kNotFound, quote_path(name) + ": no such file, expected the model's configuration");
  return parse_config(*text, name, notices);
}

}  // namespace bert
