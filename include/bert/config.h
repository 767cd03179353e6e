// The architecture of an encoder, as config.json gives it. A plain value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bert {

// quantization_config of config.json, for a model with 8-bit weights.
struct Quantization {
  bool symmetric_activations = false;    // a token's activations are quantised without a zero point
  bool int8_tables = false;              // the rows of the embedding tables are 8-bit too, each with a scale
  std::vector<std::string> ignore = {};  // the layers and tables whose weights are floats
  bool operator==(const Quantization&) const = default;
};

// Disentangled attention: scores of contents and distances beside those of contents alone (He et al. 2021).
struct DisentangledAttention {
  size_t position_buckets = 0;        // 0: each distance counts by itself
  size_t max_relative_positions = 0;  // the farthest distance that is told apart
  bool content_to_position = false;   // queries are multiplied by a vector for the distance ("c2p")
  bool position_to_content = false;   // keys are ("p2c")
  bool share_att_key = false;         // the vectors are projected by the layer's own query and key
  bool normalizes_distances = false;  // after a LayerNorm (norm_rel_ebd)
  size_t score_terms() const { return size_t{1} + content_to_position + position_to_content; }
  bool operator==(const DisentangledAttention&) const = default;
};

// A convolution over the tokens beside the first layer.
struct ConvolutionConfig {
  size_t width = 0;  // tokens that an output reads; odd
  std::string activation = "tanh";
  bool operator==(const ConvolutionConfig&) const = default;
};

// Layers that have a convolution over a token and those before it in place of attention.
struct ShortConvolutionConfig {
  size_t width = 0;               // tokens that an output reads, the last one its own
  std::vector<bool> layers = {};  // whether the layer is one, by index
  bool operator==(const ShortConvolutionConfig&) const = default;
};

enum class RotaryScaling : uint8_t {
  kNone,
  kLinear,   // frequencies divided by the factor
  kNtk,      // a larger theta, by the factor
  kDynamic,  // theta grows with the length of a text beyond trained_length
  kYarn,     // the slow frequencies divided by the factor, sines and cosines times attention_factor (Peng et al. 2023)
  kLlama3    // the slow frequencies divided by the factor, with a mean by turns between slow and fast ones
};

// Rotary positions: pair i of a head's components turns by place / theta^(2i / head size).
struct RotaryConfig {
  double theta = 10000;
  RotaryScaling scaling = RotaryScaling::kNone;
  double factor = 1;
  size_t trained_length = 0;  // in tokens
  bool wide_theta = false;    // of kDynamic: its theta is computed in float64, not in float32
  // Of kYarn and kLlama3: frequencies of more turns than the first in trained_length stay, those of fewer than the
  // second are divided, and between them it is a mean of both; for kYarn from and to whole numbers of a frequency or
  // not.
  double beta_fast = 32;
  double beta_slow = 1;
  bool truncate = true;
  double attention_factor = 1;
  bool operator==(const RotaryConfig&) const = default;
};

// Low-rank changes of the weights (LoRA), one for each task: weight + alpha / rank · B · A.
struct TaskAdapters {
  std::vector<std::string> tasks = {};         // in the order of the changes
  std::vector<std::string> instructions = {};  // of each task, put before its texts; may be ""
  size_t rank = 0;
  double alpha = 1;
  bool operator==(const TaskAdapters&) const = default;
};

// X-MOD's adapters: after each layer's feed-forward network comes one of the text's language.
struct LanguageAdapters {
  enum class Norm : uint8_t { kNone, kOfLayer, kOwn };
  std::vector<std::string> languages = {};
  std::string language = {};  // the one that is used; "": none was chosen
  size_t size = 0;            // of the network's inner layer
  Norm norm = Norm::kOfLayer;
  bool norm_before_residual = true;  // the network's output is added to the norm's, not to its input
  bool operator==(const LanguageAdapters&) const = default;
};

// MobileBERT's layers: narrower ones between two dense layers.
struct BottleneckConfig {
  size_t width = 0;
  // Queries, keys and values are made of the layer's entry; else queries and keys of an entry of their own, and values
  // of the hidden states.
  bool shares_entry = false;
  size_t word_width = 0;  // of the word table, which a dense layer widens
  size_t words = 3;       // neighbouring words that it reads
  size_t feed_forwards = 4;
  bool operator==(const BottleneckConfig&) const = default;
};

// The groups of a layer's dense layers: an output reads the inputs of its group only.
struct DenseGroups {
  size_t query = 1, key = 1, value = 1, attention_output = 1, up = 1, down = 1;
  bool operator==(const DenseGroups&) const = default;
};

// What a sequence classifier reads.
enum class ClassifierPooling : uint8_t {
  kFirst,  // the first token
  kMean,   // the mean of the tokens
  kLate    // each token; the mean of the outputs is the text's
};

// The tokens, from a text's first, that all others see and that see all others, with projections of their own, in a
// model whose layers are local.
enum class GlobalTokens : uint8_t {
  kNone,
  kFirst,            // the first one
  kBeforeSeparator,  // those before the first separator: of a question with its context
};

// What the outputs of a sequence classifier are. kUnspecified: null, absent or unknown, as the reference's pipelines.
enum class ProblemType { kUnspecified, kRegression, kSingleLabel, kMultiLabel };

// Feed-forward networks of experts, of which a token uses the top_k that a router finds best. Layer i has experts if
// i % every_layers is 1, and each layer if every_layers is 1.
struct ExpertConfig {
  size_t experts = 0;
  size_t top_k = 0;
  size_t every_layers = 0;
  std::optional<double> gate_limit = {};  // the experts have a gate whose two inputs are clamped
  bool in_layer(size_t layer) const { return layer % every_layers == 1 % every_layers; }
  bool operator==(const ExpertConfig&) const = default;
};

// What a token classifier's decoder adds for each step from one token's BIOES label to the next one's.
struct TagBiases {
  double background_stay = 0;      // from O to O
  double background_to_start = 0;  // from O to B or S
  double inside_to_continue = 0;   // from B or I to I of the same kind
  double inside_to_end = 0;        // from B or I to E of the same kind
  double end_to_background = 0;    // from E or S to O
  double end_to_start = 0;         // from E or S to B or S
  bool operator==(const TagBiases&) const = default;
};

// Which positions an encoder has, and where their vectors are added. kNative: as in config.json. kEveryLayer: the
// vectors that the embedding layer adds are added to the input of every later layer too.
enum class Positions { kNative, kLearned, kSinusoidal, kNone };
enum class PositionsAt { kNative, kInput, kEveryLayer };
struct PositionChoice {
  Positions kind = Positions::kNative;
  PositionsAt at = PositionsAt::kNative;
  bool is_native() const { return kind == Positions::kNative && at == PositionsAt::kNative; }
};

struct ModelConfig {
  std::string model_type = "bert";
  std::vector<std::string> architectures = {};  // class names, as the file lists them; may be empty
  size_t vocab_size = 30522;
  size_t hidden_size = 768;
  size_t num_hidden_layers = 12;
  size_t num_attention_heads = 12;
  size_t intermediate_size = 3072;
  size_t max_position_embeddings = 512;
  size_t type_vocab_size = 2;
  std::string hidden_act = "gelu";
  double layer_norm_eps = 1e-12;
  // "absolute" (learned), "relative_key", "relative_key_query", "relative_bias" (learned, and an attention bias by
  // distance), "relative_bias_alone" (only that), "disentangled", "disentangled_absolute" (both), "rotary", "alibi",
  // "sinusoidal" or "none".
  std::string position_embedding_type = "absolute";
  // Whether what is added to the embeddings for the position is added to the input of every later layer too.
  bool positions_at_every_layer = false;
  int32_t pad_token_id = 0;
  // Of ESM with token dropout: the mask token, whose vector counts as 0, and whose share of a text scales the others.
  std::optional<int32_t> dropped_token_id = {};
  bool normalizes_embeddings = true;  // in the families whose files may say no
  bool tie_word_embeddings = true;
  // The labels of a classification head's outputs. nullopt: id2label of config.json has none for that output.
  std::vector<std::optional<std::string>> labels = {"LABEL_0", "LABEL_1"};
  // Of viterbi_calibration.json beside config.json.
  std::optional<TagBiases> tag_biases = {};
  ProblemType problem_type = ProblemType::kUnspecified;
  // What sentence-transformers' CrossEncoder applies to a score, a class of torch: "torch.nn.modules.linear.Identity";
  // "": not specified.
  std::string activation_fn = {};

  bool scales_embeddings = false;  // the words' vectors are multiplied by the root of their width
  size_t embedding_size = 0;       // width of the embedding tables; 0: hidden_size
  size_t num_hidden_groups = 0;    // groups of layers with shared weights; 0: each layer has its own
  size_t inner_group_num = 1;      // layers of a group
  // If set, positions count only tokens with other ids, and start at this id + 1; else all tokens, from 0.
  std::optional<int32_t> position_padding_id = {};

  std::optional<Quantization> quantization = {};
  bool bfloat16_products = false;  // unless another precision is requested (Precision::kBFloat16)
  std::optional<DisentangledAttention> disentangled = {};
  std::optional<ConvolutionConfig> convolution = {};
  std::optional<ShortConvolutionConfig> short_convolution = {};
  std::optional<TaskAdapters> adapters = {};
  std::optional<ExpertConfig> experts = {};
  std::optional<LanguageAdapters> language_adapters = {};
  std::optional<BottleneckConfig> bottleneck = {};
  std::optional<DenseGroups> dense_groups = {};
  size_t span_convolution = 0;     // tokens that each convolution beside attention reads; 0: there is none
  bool norms_come_first = false;   // before a block, not after it, in the families whose files say so
  bool gated_feed_forward = true;  // in the families whose files may say no

  size_t num_key_value_heads = 0;  // each serves several heads; 0: num_attention_heads
  size_t head_size = 0;            // 0: hidden_size / num_attention_heads
  // Attention scores are divided by the root of this; 0: head_dim(), times the terms of disentangled attention.
  size_t query_pre_attn_scalar = 0;
  double attention_soft_cap = 0;  // a scaled score s becomes cap · tanh(s / cap); 0: it stays
  bool causal_attention = false;  // a token sees itself and the tokens before it only
  RotaryConfig rotary = {};       // of rotary positions
  // Local layers, by index: a token sees those at most local_distance places away, and has rotary positions of their
  // own. Empty: none is.
  std::vector<bool> local_layers = {};
  size_t local_distance = 0;
  std::vector<size_t> layer_distances = {};  // of each layer, where they differ; local_distance is then the shortest
  GlobalTokens global_tokens = GlobalTokens::kNone;
  int32_t separator_id = 0;           // of GlobalTokens::kBeforeSeparator
  size_t longest_full_attention = 0;  // longer texts have block-sparse attention, which is not there; 0: none has
  RotaryConfig local_rotary = {};
  // Which dense layers and norms have biases, in the families where files say so.
  bool attention_bias = true;
  bool mlp_bias = true;
  bool norm_bias = true;
  size_t task_type_vocab_size = 0;  // of ERNIE with task embeddings; 0: it has none
  bool classifier_bias = true;
  bool decoder_bias = true;
  ClassifierPooling classifier_pooling = ClassifierPooling::kFirst;  // in the families where files say so
  std::string classifier_activation = {};                            // of a head's dense layer; "": hidden_act
  // Width of the tokens' vectors that are pooled: the encoder's times the tensor linear.weight; 0: the encoder's.
  size_t projected_size = 0;
  size_t prediction_head_size = 0;  // width of a masked-token head's first dense layer; 0: hidden_size

  // For messages: position_embedding_type, or "learned" for "absolute", with " before every layer" if they are added
  // there.
  std::string described_positions() const {
    return (position_embedding_type == "absolute" ? "learned" : position_embedding_type) +
           (positions_at_every_layer ? " before every layer" : "");
  }
  size_t embedding_width() const { return embedding_size == 0 ? hidden_size : embedding_size; }
  size_t layer_width() const { return bottleneck ? bottleneck->width : hidden_size; }
  size_t attention_layers() const { return num_hidden_layers * inner_group_num; }  // attentions in a forward pass
  size_t head_dim() const { return head_size == 0 ? hidden_size / num_attention_heads : head_size; }
  size_t score_width() const {
    if (query_pre_attn_scalar > 0) return query_pre_attn_scalar;
    return head_dim() * (disentangled ? disentangled->score_terms() : 1);
  }
  size_t key_value_heads() const { return num_key_value_heads == 0 ? num_attention_heads : num_key_value_heads; }
  bool operator==(const ModelConfig&) const = default;
};

}  // namespace bert
