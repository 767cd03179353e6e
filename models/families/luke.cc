// LUKE without entities: RoBERTa's layers. Parts that read entities are not used.
#include "engine/base/quote.h"
#include "models/config/attention_settings.h"
#include "models/families/roberta.h"

namespace bert {
namespace {

constexpr std::string_view kLukePrefixes[] = {"", "luke.", "model.", "0.auto_model."};
constexpr std::string_view kLukeIgnorable[] = {"embeddings.position_ids",
                                               "entity_embeddings.*",
                                               "entity_predictions.*",
                                               "*.w2e_query.weight",
                                               "*.w2e_query.bias",
                                               "*.e2w_query.weight",
                                               "*.e2w_query.bias",
                                               "*.e2e_query.weight",
                                               "*.e2e_query.bias",
                                               "pooler.*",
                                               "lm_head.*",
                                               "classifier.*",
                                               "qa_outputs.*"};
constexpr HeadNames kLukeHeads[] = {
    kRobertaHeads[0],
    {.head = Head::kSequenceClassification, .input = HeadInput::kPooled, .output = "classifier"},
    {.head = Head::kTokenClassification, .input = HeadInput::kEachToken, .output = "classifier"},
    {.head = Head::kMultipleChoice, .input = HeadInput::kPooled, .output = "classifier"},
    {.head = Head::kQuestionAnswering, .input = HeadInput::kEachToken, .output = "qa_outputs"}};

void read_luke(const JsonObject& fields, ModelConfig& config) {
  for (const std::string& name : config.architectures) {
    if (!name.starts_with("LukeForEntity")) continue;
    refuse_setting(fields, "architectures", quote(name, 60), "a class that needs no entities");
  }
}

constexpr Family make_luke() {
  Family family = make_roberta();
  family.model_type = "luke";
  family.class_prefix = "Luke";
  family.names_sentence_file = false;
  family.tokenizer.usual = false;
  family.defaults.vocab_size = 50267;
  family.read_settings = read_luke;
  family.weights.prefixes = kLukePrefixes;
  family.weights.ignorable = kLukeIgnorable;
  family.names.distance_embedding = "";
  family.heads = kLukeHeads;
  return family;
}

}  // namespace

constinit const Family luke_family = make_luke();

}  // namespace bert
