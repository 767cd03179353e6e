// Longformer: RoBERTa with a window in each layer, and global tokens that depend on the model's class.
#include <algorithm>

#include "engine/base/quote.h"
#include "models/config/attention_settings.h"
#include "models/families/roberta.h"

namespace bert {
namespace {

constexpr std::string_view kLongformerPrefixes[] = {"", "longformer.", "model.", "0.auto_model."};
constexpr std::string_view kLongformerIgnorable[] = {"embeddings.position_ids",
                                                     "pooler.*",
                                                     "lm_head.*",
                                                     "classifier.*",
                                                     "qa_outputs.*",
                                                     "*.query_global.weight",
                                                     "*.query_global.bias",
                                                     "*.key_global.weight",
                                                     "*.key_global.bias",
                                                     "*.value_global.weight",
                                                     "*.value_global.bias"};

// Reads attention_window: both sides together, one number for all layers or one for each.
void read_layer_windows(const JsonObject& fields, ModelConfig& config) {
  constexpr const char* kField = "attention_window";
  std::vector<double> windows(config.num_hidden_layers, 512);
  if (const auto found = fields.nullable(kField); found && found->is_array()) {
    windows = layer_numbers(fields, kField, config);
  } else {
    windows.assign(windows.size(), fields.positive_number(kField).value_or(512));
  }
  for (const double window : windows) {
    const auto whole = static_cast<size_t>(window);
    if (window < 2 || window > 1 << 20 || static_cast<double>(whole) != window || whole % 2 != 0) {
      fields.refuse(kField, "even numbers of at least 2");
    }
    config.layer_distances.push_back(whole / 2);
  }
  config.local_distance = *std::min_element(config.layer_distances.begin(), config.layer_distances.end());
  config.local_layers.assign(config.num_hidden_layers, true);
}

void read_longformer(const JsonObject& fields, ModelConfig& config) {
  read_layer_windows(fields, config);
  const std::string class_name = config.architectures.empty() ? "" : config.architectures[0];
  if (class_name.ends_with("ForMultipleChoice")) {
    refuse_setting(fields, "architectures", quote(class_name, 60),
                   "another class: the global tokens of this one come after others");
  }
  if (class_name.ends_with("ForSequenceClassification")) config.global_tokens = GlobalTokens::kFirst;
  if (!class_name.ends_with("ForQuestionAnswering")) return;
  config.global_tokens = GlobalTokens::kBeforeSeparator;
  config.separator_id = static_cast<int32_t>(
      fields.integer("sep_token_id", {.min = 0, .max = static_cast<int64_t>(config.vocab_size) - 1}).value_or(2));
}

constexpr Family make_longformer() {
  Family family = make_roberta();
  family.model_type = "longformer";
  family.class_prefix = "Longformer";
  family.names_sentence_file = false;
  family.tokenizer.usual = false;
  family.defaults.vocab_size = 30522;
  family.read_settings = read_longformer;
  family.weights.prefixes = kLongformerPrefixes;
  family.weights.ignorable = kLongformerIgnorable;
  family.fields.position_embedding_type = nullptr;
  family.names.global_query = "encoder.layer.{}.attention.self.query_global";
  family.names.global_key = "encoder.layer.{}.attention.self.key_global";
  family.names.global_value = "encoder.layer.{}.attention.self.value_global";
  return family;
}

}  // namespace

constinit const Family longformer_family = make_longformer();

}  // namespace bert
