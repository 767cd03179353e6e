// MobileBERT: narrow layers with several feed-forward networks, between dense layers; no norms; word vectors from three
// neighbouring tokens.

#include "models/config/attention_settings.h"
#include "models/families/bert.h"

namespace bert {
namespace {

constexpr std::string_view kMobileBertPrefixes[] = {"", "mobilebert.", "model.", "0.auto_model."};
constexpr HeadNames kMobileBertHeads[] = {
    {.head = Head::kMaskedLm,
     .input = HeadInput::kEachToken,
     .dense = "cls.predictions.transform.dense",
     .norm = "cls.predictions.transform.LayerNorm",
     .more_columns = "cls.predictions.dense",
     .output = "cls.predictions.decoder",
     .output_bias = "cls.predictions.bias"},
    {.head = Head::kNextSentence, .input = HeadInput::kFirstToken, .output = "cls.seq_relationship"},
    {.head = Head::kSequenceClassification, .input = HeadInput::kFirstToken, .output = "classifier"},
    {.head = Head::kTokenClassification, .input = HeadInput::kEachToken, .output = "classifier"},
    {.head = Head::kMultipleChoice, .input = HeadInput::kFirstToken, .output = "classifier"},
    {.head = Head::kQuestionAnswering, .input = HeadInput::kEachToken, .output = "qa_outputs"}};

void read_mobilebert(const JsonObject& fields, ModelConfig& config) {
  constexpr int64_t kMost = 65536;
  const auto flag = [&](const char* name, bool otherwise) { return fields.nullable_boolean(name).value_or(otherwise); };
  choice(fields, "normalization_type", {"no_norm"});
  if (flag("classifier_activation", true)) refuse_setting(fields, "classifier_activation", "true", "false");
  if (!flag("use_bottleneck", true)) refuse_setting(fields, "use_bottleneck", "false", "true");
  BottleneckConfig bottleneck{.width = positive_integer(fields, "intra_bottleneck_size", 128, kMost)};
  bottleneck.shares_entry = flag("use_bottleneck_attention", false);
  if (!bottleneck.shares_entry && !flag("key_query_shared_bottleneck", true)) {
    refuse_setting(fields, "key_query_shared_bottleneck", "false", "true, or use_bottleneck_attention true");
  }
  bottleneck.word_width = positive_integer(fields, "embedding_size", 128, kMost);
  bottleneck.words = flag("trigram_input", true) ? 3 : 1;
  bottleneck.feed_forwards = positive_integer(fields, "num_feedforward_networks", 4, kMost);
  if (bottleneck.width % config.num_attention_heads != 0) {
    fields.refuse("intra_bottleneck_size", "a multiple of num_attention_heads");
  }
  config.bottleneck = bottleneck;
  config.head_size = bottleneck.width / config.num_attention_heads;
}

constexpr Family make_mobilebert() {
  Family family = kBert;
  family.model_type = "mobilebert";
  family.class_prefix = "MobileBert";
  family.tokenizer = {};
  family.defaults.hidden_size = 512;
  family.defaults.num_hidden_layers = 24;
  family.defaults.num_attention_heads = 4;
  family.defaults.intermediate_size = 512;
  family.defaults.hidden_act = "relu";
  family.fields.position_embedding_type = nullptr;
  family.read_settings = read_mobilebert;
  family.weights.prefixes = kMobileBertPrefixes;
  family.names.distance_embedding = "";
  family.names.word_projection = "embeddings.embedding_transformation";
  family.names.bottleneck = "encoder.layer.{}.bottleneck";
  family.names.bottleneck_exit = "encoder.layer.{}.output.bottleneck";
  family.names.first_feed_forwards = "encoder.layer.{}.ffn";
  family.names.pooler = "";
  family.norm = NormKind::kNone;
  family.heads = kMobileBertHeads;
  return family;
}

}  // namespace

constinit const Family mobilebert_family = make_mobilebert();

}  // namespace bert
