// RemBERT: BERT's layers; the embeddings have their own size, and the masked-token head has a table of another size.
#include "models/families/bert.h"

namespace bert {
namespace {

constexpr std::string_view kRemBertPrefixes[] = {"", "rembert.", "model.", "0.auto_model."};
constexpr HeadNames kRemBertHeads[] = {
    {.head = Head::kMaskedLm,
     .input = HeadInput::kEachToken,
     .dense = "cls.predictions.dense",
     .norm = "cls.predictions.LayerNorm",
     .output = "cls.predictions.decoder"},
    {.head = Head::kSequenceClassification, .input = HeadInput::kPooled, .output = "classifier"},
    {.head = Head::kTokenClassification, .input = HeadInput::kEachToken, .output = "classifier"},
    {.head = Head::kMultipleChoice, .input = HeadInput::kPooled, .output = "classifier"},
    {.head = Head::kQuestionAnswering, .input = HeadInput::kEachToken, .output = "qa_outputs"}};

void read_rembert(const JsonObject& fields, ModelConfig& config) {
  const JsonObject::Range sizes = {.min = 1, .max = 1 << 20};
  config.prediction_head_size = static_cast<size_t>(fields.integer("output_embedding_size", sizes).value_or(1664));
}

constexpr Family make_rembert() {
  Family family = kBert;
  family.model_type = "rembert";
  family.class_prefix = "RemBert";
  family.tokenizer = {.files = TokenizerFiles::kTokenizerJson};
  family.defaults.vocab_size = 250300;
  family.defaults.hidden_size = 1152;
  family.defaults.num_hidden_layers = 32;
  family.defaults.num_attention_heads = 18;
  family.defaults.intermediate_size = 4608;
  family.defaults.embedding_size = 256;
  family.fields.embedding_size = "input_embedding_size";
  family.defaults.tie_word_embeddings = false;
  family.read_settings = read_rembert;
  family.weights.prefixes = kRemBertPrefixes;
  family.names.embedding_projection = "encoder.embedding_hidden_mapping_in";
  family.projects_equal_sizes = true;
  family.heads = kRemBertHeads;
  return family;
}

}  // namespace

constinit const Family rembert_family = make_rembert();

}  // namespace bert
