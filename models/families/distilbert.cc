// DistilBERT: no segments, no pooler, and a LayerNorm eps that no field changes. Sinusoidal positions are a table in
// the file, like learned ones.
#include "models/families/common.h"

namespace bert {
namespace {

constexpr std::string_view kDistilBertPrefixes[] = {"", "distilbert.", "model.", "0.auto_model."};
constexpr std::string_view kDistilBertIgnorable[] = {"embeddings.position_ids",
                                                     "embeddings.position_embeddings.weight",
                                                     "vocab_transform.*",
                                                     "vocab_layer_norm.*",
                                                     "vocab_projector.*",
                                                     "pre_classifier.*",
                                                     "classifier.*",
                                                     "qa_outputs.*"};
constexpr HeadNames kDistilBertHeads[] = {
    {.head = Head::kMaskedLm,
     .input = HeadInput::kEachToken,
     .dense = "vocab_transform",
     .norm = "vocab_layer_norm",
     .output = "vocab_projector"},
    {.head = Head::kSequenceClassification,
     .input = HeadInput::kFirstToken,
     .dense = "pre_classifier",
     .activation = Activation::kRelu,
     .output = "classifier"},
    {.head = Head::kTokenClassification, .input = HeadInput::kEachToken, .output = "classifier"},
    {.head = Head::kMultipleChoice,
     .input = HeadInput::kFirstToken,
     .dense = "pre_classifier",
     .activation = Activation::kRelu,
     .output = "classifier"},
    {.head = Head::kQuestionAnswering, .input = HeadInput::kEachToken, .output = "qa_outputs"}};

}  // namespace

constinit const Family distilbert_family = {
    .model_type = "distilbert",
    .class_prefix = "DistilBert",
    .names_sentence_file = true,
    .tokenizer = {.has_segments_if_named = false},
    .defaults = {.num_hidden_layers = 6, .type_vocab_size = 1, .layer_norm_eps = 1e-12},
    .fields = {.hidden_size = "dim",
               .num_hidden_layers = "n_layers",
               .num_attention_heads = "n_heads",
               .intermediate_size = "hidden_dim",
               .type_vocab_size = nullptr,
               .hidden_act = "activation",
               .layer_norm_eps = nullptr,
               .position_embedding_type = nullptr,
               .usual_names_count = true},
    .weights = {.anchor = "embeddings.word_embeddings.weight",
                .prefixes = kDistilBertPrefixes,
                .wrappers = kTrainingWrappers,
                .endings = kLayerNormEndings,
                .ignorable = kDistilBertIgnorable},
    .names = {.word_embeddings = "embeddings.word_embeddings",
              .token_type_embeddings = "",
              .position_embeddings = "embeddings.position_embeddings",
              .embeddings_norm = "embeddings.LayerNorm",
              .query = "transformer.layer.{}.attention.q_lin",
              .key = "transformer.layer.{}.attention.k_lin",
              .value = "transformer.layer.{}.attention.v_lin",
              .attention_output = "transformer.layer.{}.attention.out_lin",
              .norm_after_attention = "transformer.layer.{}.sa_layer_norm",
              .feed_forward_up = "transformer.layer.{}.ffn.lin1",
              .feed_forward_down = "transformer.layer.{}.ffn.lin2",
              .norm_after_feed_forward = "transformer.layer.{}.output_layer_norm"},
    .heads = kDistilBertHeads,
};

}  // namespace bert
