// NeoBERT: a norm before each block, rotary positions of neighbouring components, and a gate.
#include "models/config/attention_settings.h"
#include "models/families/common.h"

namespace bert {
namespace {

constexpr std::string_view kNeoBertPrefixes[] = {"", "model.", "0.auto_model."};
constexpr std::string_view kNeoBertIgnorable[] = {"freqs_cis", "decoder.*", "dense.*", "classifier.*"};
constexpr HeadNames kNeoBertHeads[] = {{.head = Head::kMaskedLm, .input = HeadInput::kEachToken, .output = "decoder"},
                                       {.head = Head::kSequenceClassification,
                                        .input = HeadInput::kFirstToken,
                                        .dense = "dense",
                                        .activation = Activation::kTanh,
                                        .output = "classifier"}};

void read_neobert(const JsonObject& fields, ModelConfig& config) {
  choice(fields, "hidden_act", {"SwiGLU", "swiglu"});
  for (const char* needed : {"rope", "rms_norm"}) {
    if (!fields.nullable_boolean(needed).value_or(true)) refuse_setting(fields, needed, "false", "true");
  }
  require(fields, "ngpt", false);
  // Two thirds of the size in the file, rounded up to a multiple of 8.
  config.intermediate_size = (2 * config.intermediate_size / 3 + 7) / 8 * 8;
}

}  // namespace

constinit const Family neobert_family = {
    .model_type = "neobert",
    .class_prefix = "NeoBERT",
    .tokenizer = {.has_segments = false},
    .defaults = {.vocab_size = 32064,
                 .num_hidden_layers = 28,
                 .max_position_embeddings = 1024,
                 .type_vocab_size = 0,
                 .hidden_act = "silu",
                 .layer_norm_eps = 1e-6,
                 .position_embedding_type = "rotary",
                 .tie_word_embeddings = false},
    .fields = {.max_position_embeddings = "max_length",
               .type_vocab_size = nullptr,
               .hidden_act = nullptr,
               .layer_norm_eps = "norm_eps",
               .position_embedding_type = nullptr},
    .read_settings = read_neobert,
    .weights = {.anchor = "encoder.weight",
                .prefixes = kNeoBertPrefixes,
                .wrappers = kTrainingWrappers,
                .ignorable = kNeoBertIgnorable},
    .names = {.word_embeddings = "encoder",
              .norm_before_attention = "transformer_encoder.{}.attention_norm",
              .qkv_of_heads = "transformer_encoder.{}.qkv",
              .attention_output = "transformer_encoder.{}.wo",
              .norm_before_feed_forward = "transformer_encoder.{}.ffn_norm",
              .feed_forward_up = "transformer_encoder.{}.ffn.w12",
              .stacked_gate = Gate::Activated::kFirst,
              .feed_forward_down = "transformer_encoder.{}.ffn.w3",
              .final_norm = "layer_norm"},
    .norm = NormKind::kRmsNorm,
    .norm_bias = Bias::kNever,
    .attention_bias = Bias::kNever,
    .up_bias = Bias::kNever,
    .down_bias = Bias::kNever,
    .rotary_pairs = RotaryPairs::kNeighbors,
    .heads = kNeoBertHeads,
};

}  // namespace bert
