// BigBird with full attention: BERT's layers, in which queries, keys and values may have no bias.
#include "models/config/attention_settings.h"
#include "models/families/bert.h"

namespace bert {
namespace {

constexpr std::string_view kBigBirdPrefixes[] = {"", "bert.", "model.", "0.auto_model."};
constexpr std::string_view kBigBirdIgnorable[] = {"embeddings.position_ids", "embeddings.token_type_ids", "pooler.*",
                                                  "cls.*", "classifier.*"};
constexpr std::string_view kBigBirdReported[] = {"qa_classifier.*"};
constexpr HeadNames kBigBirdHeads[] = {
    kBertMaskedLm,
    {.head = Head::kNextSentence, .input = HeadInput::kPooled, .output = "cls.seq_relationship"},
    {.head = Head::kSequenceClassification,
     .input = HeadInput::kFirstToken,
     .dense = "classifier.dense",
     .output = "classifier.out_proj"},
    {.head = Head::kTokenClassification, .input = HeadInput::kEachToken, .output = "classifier"},
    {.head = Head::kMultipleChoice, .input = HeadInput::kPooled, .output = "classifier"}};

void read_big_bird(const JsonObject& fields, ModelConfig& config) {
  config.attention_bias = fields.boolean("use_bias").value_or(true);
  config.scales_embeddings = fields.boolean("rescale_embeddings").value_or(false);
  if (choice(fields, "attention_type", {"block_sparse", "original_full"}) == "original_full") return;
  // The reference uses full attention up to this many tokens.
  const JsonObject::Range range = {.min = 1, .max = 1 << 12};
  config.longest_full_attention = static_cast<size_t>((5 + 2 * fields.integer("num_random_blocks", range).value_or(3)) *
                                                      fields.integer("block_size", range).value_or(64));
}

constexpr Family make_big_bird() {
  Family family = kBert;
  family.model_type = "big_bird";
  family.class_prefix = "BigBird";
  family.tokenizer = {.files = TokenizerFiles::kTokenizerJson,
                      .json_reading = JsonReading::kNoClass,
                      .unapplied_text = UnappliedText::kBigBird,
                      .unapplied_text_of_type = UnappliedText::kBigBird};
  family.defaults.vocab_size = 50358;
  family.defaults.max_position_embeddings = 4096;
  family.defaults.hidden_act = "gelu_new";
  family.fields.position_embedding_type = nullptr;
  family.read_settings = read_big_bird;
  family.weights.prefixes = kBigBirdPrefixes;
  family.weights.ignorable = kBigBirdIgnorable;
  family.weights.reported = kBigBirdReported;
  family.names.pooler = "pooler";
  family.attention_bias = Bias::kAttention;
  family.attention_output_bias = Bias::kAlways;
  family.heads = kBigBirdHeads;
  return family;
}

}  // namespace

constinit const Family big_bird_family = make_big_bird();

}  // namespace bert
