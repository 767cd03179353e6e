// RoFormer: BERT's layers with rotary positions of neighbouring components.
#include "models/config/attention_settings.h"
#include "models/families/bert.h"

namespace bert {
namespace {

constexpr std::string_view kRoFormerPrefixes[] = {"", "roformer.", "model.", "0.auto_model."};
constexpr std::string_view kRoFormerIgnorable[] = {"encoder.embed_positions.weight", "cls.*", "classifier.*",
                                                   "sequence_summary.*", "qa_outputs.*"};
constexpr HeadNames kRoFormerHeads[] = {
    kBertMaskedLm,
    {.head = Head::kSequenceClassification,
     .input = HeadInput::kFirstToken,
     .dense = "classifier.dense",
     .output = "classifier.out_proj"},
    {.head = Head::kTokenClassification, .input = HeadInput::kEachToken, .output = "classifier"},
    {.head = Head::kQuestionAnswering, .input = HeadInput::kEachToken, .output = "qa_outputs"}};

void read_roformer(const JsonObject& fields, ModelConfig& config) {
  require(fields, "rotary_value", false);
  read_rotary(fields, 10000, config);
}

constexpr Family make_roformer() {
  Family family = kBert;
  family.model_type = "roformer";
  family.class_prefix = "RoFormer";
  family.tokenizer = {.files = TokenizerFiles::kTokenizerJson};
  family.defaults.vocab_size = 50000;
  family.defaults.max_position_embeddings = 1536;
  family.defaults.position_embedding_type = "rotary";
  family.fields.position_embedding_type = nullptr;
  family.fields.embedding_size = "embedding_size";
  family.read_settings = read_roformer;
  family.rotary_pairs = RotaryPairs::kNeighbors;
  family.weights.prefixes = kRoFormerPrefixes;
  family.weights.ignorable = kRoFormerIgnorable;
  family.names.position_embeddings = "";
  family.names.embedding_projection = "embeddings_project";
  family.names.distance_embedding = "";
  family.names.pooler = "";
  family.heads = kRoFormerHeads;
  return family;
}

}  // namespace

constinit const Family roformer_family = make_roformer();

}  // namespace bert
