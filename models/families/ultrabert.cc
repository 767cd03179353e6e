// UltraBERT: EuroBERT's layer; two of three layers are local.
#include <algorithm>

#include "models/families/eurobert.h"

namespace bert {
namespace {

constexpr std::string_view kUltraBertPrefixes[] = {"", "model.", "ultrabert.", "0.auto_model."};
constexpr std::string_view kUltraBertIgnorable[] = {"head.*", "cls.*", "classifier.*", "qa_outputs.*"};
constexpr WeightNames::Ending kUltraBertEndings[] = {{"cls.weight", "head.decoder.weight"}};
constexpr HeadNames kUltraBertHeads[] = {
    {.head = Head::kMaskedLm,
     .input = HeadInput::kEachToken,
     .dense = "head.linear1",
     .second_dense = "head.linear2",
     .dense_bias = Bias::kNever,
     .activation = Activation::kGeluTanh,
     .output = "head.decoder",
     .output_has_bias = Bias::kNever},
    {.head = Head::kSequenceClassification, .input = HeadInput::kClassifierPooling, .output = "classifier"},
    {.head = Head::kTokenClassification, .input = HeadInput::kEachToken, .output = "classifier"},
    {.head = Head::kQuestionAnswering, .input = HeadInput::kEachToken, .output = "qa_outputs"}};

// Reads a window for each layer, as in the authors' files; 0: no window.
void read_windows(const JsonObject& fields, ModelConfig& config) {
  const std::vector<double> windows = layer_numbers(fields, "attention_windows", config);
  const auto first = std::find_if(windows.begin(), windows.end(), [](double window) { return window > 0; });
  if (first != windows.end()) config.local_distance = static_cast<size_t>(*first);
  if (fields.nullable("layer_types")) return;
  for (size_t layer = 0; layer < windows.size(); ++layer) config.local_layers[layer] = windows[layer] > 0;
}

void read_ultrabert(const JsonObject& fields, ModelConfig& config) {
  read_eurobert_layers(fields, config, HeadSize::kUsual);
  config.classifier_pooling = read_classifier_pooling(fields, "classifier_pooling", {"cls", "mean"});
  config.prediction_head_size =
      static_cast<size_t>(fields.integer("prediction_head_size", {.min = 1, .max = 65536}).value_or(768));
  read_local_layers(fields, 2, 3, config);
  // On each side.
  config.local_distance =
      static_cast<size_t>(fields.integer("sliding_window", {.min = 1, .max = 1 << 20}).value_or(128));
  read_windows(fields, config);
  read_layered_rotary(fields, {nullptr, nullptr, 2560000, 10000}, config);
  if (fields.nullable("rope_parameters")) return;
  const std::vector<double> thetas = layer_numbers(fields, "rope_theta", config);
  for (size_t layer = 0; layer < thetas.size(); ++layer) {
    (config.local_layers[layer] ? config.local_rotary : config.rotary).theta = thetas[layer];
  }
}

constexpr Family make_ultrabert() {
  Family family =
      make_eurobert("ultrabert", "Ultrabert", kUltraBertPrefixes, kUltraBertIgnorable, kUltraBertHeads, read_ultrabert);
  family.weights.endings = kUltraBertEndings;
  family.defaults.vocab_size = 32000;
  family.defaults.hidden_size = 4096;
  family.defaults.num_hidden_layers = 32;
  family.defaults.num_attention_heads = 32;
  family.defaults.intermediate_size = 11008;
  family.defaults.max_position_embeddings = 32768;
  family.defaults.layer_norm_eps = 1e-6;
  family.defaults.tie_word_embeddings = false;
  return family;
}

}  // namespace

constinit const Family ultrabert_family = make_ultrabert();

}  // namespace bert
