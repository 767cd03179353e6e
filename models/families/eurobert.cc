#include "models/families/eurobert.h"

namespace bert {
namespace {

constexpr std::string_view kEuroBertPrefixes[] = {"", "model.", "0.auto_model."};
constexpr std::string_view kEuroBertIgnorable[] = {"lm_head.*", "dense.*", "classifier.*"};
constexpr HeadNames kEuroBertHeads[] = {
    {.head = Head::kMaskedLm,
     .input = HeadInput::kEachToken,
     .output = "lm_head",
     .output_has_bias = Bias::kFeedForward},
    {.head = Head::kSequenceClassification,
     .input = HeadInput::kClassifierPooling,
     .dense = "dense",
     .activation = Activation::kGelu,
     .output = "classifier"},
    {.head = Head::kTokenClassification, .input = HeadInput::kEachToken, .output = "classifier"}};

void read_eurobert(const JsonObject& fields, ModelConfig& config) {
  read_eurobert_layers(fields, config, HeadSize::kOwn);
  config.classifier_pooling = read_classifier_pooling(fields, "classifier_pooling", {"late", "bos", "mean"});
  read_rotary(fields, 10000, config);
}

constexpr Family make_eurobert_family() {
  Family family =
      make_eurobert("eurobert", "EuroBert", kEuroBertPrefixes, kEuroBertIgnorable, kEuroBertHeads, read_eurobert);
  family.defaults.vocab_size = 128256;
  family.defaults.max_position_embeddings = 8192;
  family.defaults.layer_norm_eps = 1e-5;
  family.defaults.pad_token_id = 128001;
  family.defaults.tie_word_embeddings = false;
  return family;
}

}  // namespace

constinit const Family eurobert_family = make_eurobert_family();

}  // namespace bert
