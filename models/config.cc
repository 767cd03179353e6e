#include "models/config.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "bert/error.h"
#include "engine/base/json_object.h"
#include "engine/base/quote.h"
#include "models/activations.h"
#include "models/attention_settings.h"
#include "models/family.h"
#include "models/positions.h"

namespace bert {
namespace {

constexpr int64_t kMaxLabels = 1 << 20;

template <class Names>
std::string list(const Names& names) {
  std::string text;
  for (const std::string_view name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

class ConfigReader {
 public:
  ConfigReader(Json json, std::string_view source) : fields_(json, source) {}

  ModelConfig read() {
    read_family();
    read_sizes();
    read_functions();
    if (family_->read_settings != nullptr) family_->read_settings(fields_, config_);
    refuse_what_is_not_done();
    read_labels();
    read_activation_fn();
    return std::move(config_);
  }

 private:
  [[noreturn]] void unsupported(const char* field, const std::string& value, const std::string& expected) const {
    refuse_setting(fields_, field, value, expected);
  }

  // A file from before 2020 has no model_type; the class names in `architectures` identify the family.
  void read_family() {
    std::vector<std::string> architectures;
    if (fields_.nullable("architectures")) architectures = *fields_.strings("architectures");
    const std::string type = fields_.string("model_type").value_or("");
    const std::string positions = fields_.string("position_embedding_type").value_or("");
    family_ = find_family(type.empty() && architectures.empty() ? ModelConfig().model_type : type, positions);
    std::vector<std::string_view> names;
    for (const Family* family : families()) {
      names.push_back(family->model_type);
      const bool is_class =
          type.empty() && !architectures.empty() && architectures[0].starts_with(family->class_prefix);
      if (family_ == nullptr && is_class) family_ = family;
    }
    if (family_ == nullptr) {
      const std::string of_its_own =
          fields_.has("auto_map") ? " (auto_map: the model brings code of its own, which is never run)" : "";
      if (!type.empty()) unsupported("model_type", quote(type, 60) + of_its_own, list(names));
      unsupported("architectures", quote(architectures[0], 60) + " without model_type" + of_its_own, list(names));
    }
    config_ = default_config(*family_);
    config_.architectures = std::move(architectures);
  }

  void read_sizes() {
    const ConfigFields& names = fields();
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
    if (config_.hidden_size % config_.num_attention_heads != 0) {
      fields_.refuse(names.hidden_size, std::string("a multiple of ") + names.num_attention_heads + " " +
                                            std::to_string(config_.num_attention_heads));
    }
    if (names.num_hidden_groups != nullptr) read_groups();
    // A negative id counts from the vocabulary's end, as in the reference.
    const auto vocab = static_cast<int64_t>(config_.vocab_size);
    const auto id = fields_.nullable_integer("pad_token_id", {.min = -vocab, .max = vocab - 1});
    if (id) config_.pad_token_id = static_cast<int32_t>(*id);
    if (family_->positions_skip_padding) read_position_padding();
  }

  const ConfigFields& fields() const {
    const ConfigFields* older = family_->older_fields;
    return older != nullptr && fields_.has(older->hidden_size) ? *older : family_->fields;
  }

  size_t size(const char* name, size_t otherwise, int64_t max) const {
    return static_cast<size_t>(fields_.integer(name, {.min = 1, .max = max}).value_or(static_cast<int64_t>(otherwise)));
  }

  // The weights of a layer depend on both; the reference fails on what is rejected here.
  void read_groups() {
    const ConfigFields& names = fields();
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
    const ConfigFields& names = fields();
    if (names.hidden_act != nullptr) config_.hidden_act = fields_.string(names.hidden_act).value_or(config_.hidden_act);
    if (names.hidden_act != nullptr) require_activation(fields_, names.hidden_act, config_.hidden_act);
    if (names.layer_norm_eps != nullptr) {
      config_.layer_norm_eps = fields_.positive_number(names.layer_norm_eps).value_or(config_.layer_norm_eps);
    }
    if (names.position_embedding_type != nullptr) read_positions(names.position_embedding_type);
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
      unsupported(field, quote(config_.position_embedding_type, 60), "one of " + list(known));
    }
  }

  void refuse_what_is_not_done() {
    for (const char* name : {"is_decoder", "add_cross_attention"}) {
      if (fields_.boolean(name).value_or(false)) unsupported(name, "true", "false: an encoder");
    }
    const auto pruned = fields_.find("pruned_heads");
    if (!pruned) return;
    if (!pruned->is_object() && !pruned->is_array()) fields_.refuse("pruned_heads", "an object");
    if (!pruned->empty()) unsupported("pruned_heads", json_excerpt(*pruned), "{}");
  }

  void read_labels() {
    // One unknown to the reference's pipelines counts as none.
    config_.problem_type = fields_.nullable_string("problem_type").value_or("");
    const bool null_labels = fields_.is_null("id2label");  // as if both were absent
    if (fields_.has("id2label") && !null_labels) {
      read_id2label();
    } else if (fields_.has("label2id") && !null_labels) {
      read_label2id();
    } else if (const auto count = fields_.integer("num_labels", {.min = 1, .max = kMaxLabels})) {
      config_.labels.clear();
      for (int64_t i = 0; i < *count; ++i) config_.labels.push_back("LABEL_" + std::to_string(i));
    }
  }

  void read_activation_fn() {
    constexpr const char* kOldKey = "sbert_ce_default_activation_function";  // before sentence-transformers 4
    if (const auto library = fields_.nullable_object("sentence_transformers")) {
      config_.activation_fn = library->nullable_string("activation_fn").value_or("");
    }
    if (config_.activation_fn.empty()) config_.activation_fn = fields_.nullable_string(kOldKey).value_or("");
  }

  // {"0": "NEGATIVE", "1": "POSITIVE"}: each index from 0 once. It overrides label2id, as in the reference.
  void read_id2label() {
    const Json map = *fields_.find("id2label");
    const std::string expected = "an object from \"0\", \"1\", … without a gap to strings or numbers, at least one";
    if (!map.is_object() || map.empty()) fields_.refuse("id2label", expected);
    config_.labels.assign(map.size(), "");
    for (const auto& [key, label] : map.members()) {
      size_t index = 0;
      const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
      const bool is_index = error == std::errc() && end == key.data() + key.size() && std::to_string(index) == key;
      if (!is_index || index >= map.size() || !(label.is_string() || label.is_number())) {
        fields_.refuse("id2label", expected + ", found " + quote(key, 60) + ": " + json_excerpt(label));
      }
      config_.labels[index] = label.string();
    }
  }

  void read_label2id() {
    const Json map = *fields_.find("label2id");
    const std::string expected = "an object from strings to 0, 1, … without a gap, at least one";
    if (!map.is_object() || map.empty()) fields_.refuse("label2id", expected);
    config_.labels.assign(map.size(), "");
    std::vector<bool> seen(map.size());
    for (const auto& [label, value] : map.members()) {
      const auto index = value.unsigned_integer();
      if (!index || *index >= map.size() || seen[*index]) {
        fields_.refuse("label2id", expected + ", found " + quote(label, 60) + ": " + json_excerpt(value));
      }
      seen[*index] = true;
      config_.labels[*index] = label;
    }
  }

  JsonObject fields_;
  const Family* family_ = nullptr;
  ModelConfig config_;
};

}  // namespace

ModelConfig parse_config(std::string_view json, std::string_view source) {
  const JsonDocument document = parse_json(json, source, {.max_bytes = kMaxModelFile});
  return ConfigReader(document.root(), source).read();
}

ModelConfig read_config(const FileSource& files) {
  const std::string name = files.display_name("config.json");
  const std::optional<std::string> text = files.read("config.json", kMaxModelFile);
  if (!text && files.read("adapter_config.json", kMaxModelFile)) {
    throw Error(
        ErrorCode::kUnsupported,
        quote_path(files.display_name("adapter_config.json")) +
            ": an adapter (LoRA) without its base model is not supported, expected a whole model: merge the two "
            "with peft's merge_and_unload() and save the result");
  }
  if (!text) throw Error(ErrorCode::kNotFound, quote_path(name) + ": no such file, expected the model's configuration");
  return parse_config(*text, name);
}

}  // namespace bert
