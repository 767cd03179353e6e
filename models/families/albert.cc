// ALBERT: layers in groups that share their weights; embeddings are narrower than the layers.
#include "models/families/common.h"

namespace bert {
namespace {

constexpr std::string_view kAlbertPrefixes[] = {"", "albert.", "model.", "0.auto_model."};
constexpr std::string_view kAlbertIgnorable[] = {"embeddings.position_ids",
                                                 "embeddings.token_type_ids",
                                                 "embeddings.position_embeddings.weight",
                                                 "*.distance_embedding.weight",
                                                 "pooler.*",
                                                 "predictions.*",
                                                 "sop_classifier.*",
                                                 "classifier.*",
                                                 "qa_outputs.*"};
constexpr HeadNames kAlbertHeads[] = {
    {.head = Head::kMaskedLm,
     .input = HeadInput::kEachToken,
     .dense = "predictions.dense",
     .norm = "predictions.LayerNorm",
     .output = "predictions.decoder",
     .output_bias = "predictions.bias"},
    {.head = Head::kSequenceClassification, .input = HeadInput::kPooled, .output = "classifier"},
    {.head = Head::kTokenClassification, .input = HeadInput::kEachToken, .output = "classifier"},
    {.head = Head::kMultipleChoice, .input = HeadInput::kPooled, .output = "classifier"},
    {.head = Head::kQuestionAnswering, .input = HeadInput::kEachToken, .output = "qa_outputs"}};

}  // namespace

constinit const Family albert_family = {
    .model_type = "albert",
    .class_prefix = "Albert",
    .names_sentence_file = true,
    .tokenizer = {.files = TokenizerFiles::kSentencePiece,
                  .unknown = "<unk>",
                  .padding = "<pad>",
                  .beginning = "[CLS]",
                  .end = "[SEP]",
                  .keeps_json_template = true,
                  .has_segments = false,
                  .has_segments_if_named = false,
                  .pieces = {.text = PieceText::kPrepared, .unknown_id = 1}},
    .defaults = {.vocab_size = 30000,
                 .hidden_size = 4096,
                 .num_attention_heads = 64,
                 .intermediate_size = 16384,
                 .hidden_act = "gelu_new",
                 .embedding_size = 128},
    .fields = {.embedding_size = "embedding_size",
               .num_hidden_groups = "num_hidden_groups",
               .inner_group_num = "inner_group_num"},
    .weights = {.anchor = "embeddings.word_embeddings.weight",
                .prefixes = kAlbertPrefixes,
                .wrappers = kTrainingWrappers,
                .endings = kLayerNormEndings,
                .ignorable = kAlbertIgnorable},
    .names = {.word_embeddings = "embeddings.word_embeddings",
              .token_type_embeddings = "embeddings.token_type_embeddings",
              .position_embeddings = "embeddings.position_embeddings",
              .embeddings_norm = "embeddings.LayerNorm",
              .embedding_projection = "encoder.embedding_hidden_mapping_in",
              .query = "encoder.albert_layer_groups.{group}.albert_layers.{inner}.attention.query",
              .key = "encoder.albert_layer_groups.{group}.albert_layers.{inner}.attention.key",
              .value = "encoder.albert_layer_groups.{group}.albert_layers.{inner}.attention.value",
              .attention_output = "encoder.albert_layer_groups.{group}.albert_layers.{inner}.attention.dense",
              .norm_after_attention = "encoder.albert_layer_groups.{group}.albert_layers.{inner}.attention.LayerNorm",
              .feed_forward_up = "encoder.albert_layer_groups.{group}.albert_layers.{inner}.ffn",
              .feed_forward_down = "encoder.albert_layer_groups.{group}.albert_layers.{inner}.ffn_output",
              .norm_after_feed_forward =
                  "encoder.albert_layer_groups.{group}.albert_layers.{inner}.full_layer_layer_norm",
              .distance_embedding =
                  "encoder.albert_layer_groups.{group}.albert_layers.{inner}.attention.distance_embedding",
              .pooler = "pooler"},
    .projects_equal_sizes = true,
    .scales_distances = false,
    .heads = kAlbertHeads,
};

}  // namespace bert
