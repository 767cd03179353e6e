// The architecture of an encoder, as config.json gives it. A plain value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bert {

// The field quantization_config of config.json, for a model with 8-bit weights.
struct Quantization {
  bool symmetric_activations = false;    // a token's activations are quantised without a zero point
  bool int8_tables = false;              // rows of the embedding tables are 8-bit too, each with a scale
  std::vector<std::string> ignore = {};  // layers and tables whose weights stay floats
  bool operator==(const Quantization&) const = default;
};

// Disentangled attention: the scores also compare contents with distances (He et al. 2021).
struct DisentangledAttention {
  size_t position_buckets = 0;        // distances share this many buckets; 0: each distance has its own vector
  size_t max_relative_positions = 0;  // the farthest distance that has its own vector or bucket
  bool content_to_position = false;   // scores include query content × distance ("c2p")
  bool position_to_content = false;   // scores include key content × distance ("p2c")
  bool share_att_key = false;         // the layer's own query and key projections project the distances' vectors
  bool normalizes_distances = false;  // the distances' vectors pass a LayerNorm first (norm_rel_ebd)
  size_t score_terms() const { return size_t{1} + content_to_position + position_to_content; }
  bool operator==(const DisentangledAttention&) const = default;
};

// A convolution over the tokens, parallel to the first layer.
struct ConvolutionConfig {
  size_t width = 0;  // tokens that an output reads; odd
  std::string activation = "tanh";
  bool operator==(const ConvolutionConfig&) const = default;
};

// Layers that have a convolution over a token and the tokens before it instead of attention.
struct ShortConvolutionConfig {
  size_t width = 0;               // tokens that an output reads, including its own, which is the last
  std::vector<bool> layers = {};  // whether the layer with this index is one
  bool operator==(const ShortConvolutionConfig&) const = default;
};

enum class RotaryScaling : uint8_t {
  kNone,
  kLinear,   // frequencies divided by the factor
  kNtk,      // theta grows with the factor
  kDynamic,  // theta grows with the length of a text that is longer than trained_length
  kYarn,   // low frequencies are divided by the factor, sines and cosines scaled by attention_factor (Peng et al. 2023)
  kLlama3  // low frequencies are divided by the factor; between low and high, a weighted mean of both
};

// Rotary positions: the pair i of a head's components is rotated by the angle position / theta^(2i / head size).
struct RotaryConfig {
  double theta = 10000;
  RotaryScaling scaling = RotaryScaling::kNone;
  double factor = 1;
  size_t trained_length = 0;  // in tokens
  bool wide_theta = false;    // for kDynamic: theta is computed in float64, not in float32
  // For kYarn and kLlama3, by the number of rotations within trained_length: frequencies with more than beta_fast stay,
  // those with fewer than beta_slow are divided, those between are a weighted mean of both. truncate: kYarn rounds the
  // bounds to whole indices of frequencies.
  double beta_fast = 32;
  double beta_slow = 1;
  bool truncate = true;
  double attention_factor = 1;
  bool operator==(const RotaryConfig&) const = default;
};

// Low-rank adapters (LoRA), one per task: the weight is weight + alpha / rank · B · A.
struct TaskAdapters {
  std::vector<std::string> tasks = {};         // in the order of the adapters
  std::vector<std::string> instructions = {};  // each task's prompt, put before its texts; may be ""
  size_t rank = 0;
  double alpha = 1;
  bool operator==(const TaskAdapters&) const = default;
};

// X-MOD's adapters: after each layer's feed-forward network, a network of the text's language.
struct LanguageAdapters {
  enum class Norm : uint8_t { kNone, kOfLayer, kOwn };
  std::vector<std::string> languages = {};
  std::string language = {};  // the language that is used; "": none was chosen
  size_t size = 0;            // width of the adapter's inner layer
  Norm norm = Norm::kOfLayer;
  bool norm_before_residual = true;  // the network's output is added to the output of the norm, not to its input
  bool operator==(const LanguageAdapters&) const = default;
};

// MobileBERT's layers, which are narrower than the hidden states between them: dense layers lead in and out.
struct BottleneckConfig {
  size_t width = 0;
  // True: queries, keys and values are projections of the layer's narrowed input. False: queries and keys are
  // projections of another narrowed input, and values of the hidden states.
  bool shares_entry = false;
  size_t word_width = 0;  // width of the word table, whose rows a dense layer widens
  size_t words = 3;       // neighbouring words that this dense layer reads
  size_t feed_forwards = 4;
  bool operator==(const BottleneckConfig&) const = default;
};

// Numbers of groups of a layer's dense layers: an output reads only the inputs of its group.
struct DenseGroups {
  size_t query = 1, key = 1, value = 1, attention_output = 1, up = 1, down = 1;
  bool operator==(const DenseGroups&) const = default;
};

// What a sequence classifier reads from a text.
enum class ClassifierPooling : uint8_t {
  kFirst,  // the first token
  kMean,   // the mean of the tokens
  kLate    // each token; the text's logits are the mean of the tokens' logits
};

// The first tokens of a text that attend to all tokens and that all tokens attend to, with projections of their own, in
// a model whose layers are local.
enum class GlobalTokens : uint8_t {
  kNone,
  kFirst,            // only the first token
  kBeforeSeparator,  // the tokens before the first separator, such as a question before its context
};

// What the outputs of a sequence classifier mean. kUnspecified: problem_type is null, absent or unknown; the
// reference's pipelines treat these alike.
enum class ProblemType { kUnspecified, kRegression, kSingleLabel, kMultiLabel };

// Mixture of experts: a router chooses the top_k best of several feed-forward networks for each token. Layer i has
// experts if i % every_layers is 1, or if every_layers is 1.
struct ExpertConfig {
  size_t experts = 0;
  size_t top_k = 0;
  size_t every_layers = 0;
  std::optional<double> gate_limit = {};  // if set, experts have a gate, whose two inputs are clamped to it
  bool in_layer(size_t layer) const { return layer % every_layers == 1 % every_layers; }
  bool operator==(const ExpertConfig&) const = default;
};

// Numbers that a token classifier's decoder adds to the step from one token's BIOES label to the next token's.
struct TagBiases {
  double background_stay = 0;      // from O to O
  double background_to_start = 0;  // from O to B or S
  double inside_to_continue = 0;   // from B or I to I of the same kind
  double inside_to_end = 0;        // from B or I to E of the same kind
  double end_to_background = 0;    // from E or S to O
  double end_to_start = 0;         // from E or S to B or S
  bool operator==(const TagBiases&) const = default;
};

// Which position vectors an encoder has, and where they are added. kNative: as config.json says. kEveryLayer: the
// vectors that the embedding layer adds are also added to the input of every later layer.
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
  // The kind of positions: "absolute" (learned), "relative_key", "relative_key_query", "relative_bias" (learned
  // positions and an attention bias by distance), "relative_bias_alone" (only the bias), "disentangled",
  // "disentangled_absolute" (learned positions too), "rotary", "alibi", "sinusoidal" or "none".
  std::string position_embedding_type = "absolute";
  // Whether the position vectors of the embedding layer are also added to the input of every later layer.
  bool positions_at_every_layer = false;
  int32_t pad_token_id = 0;
  // For ESM with token dropout: the mask token. Its vector counts as 0, and its share of a text scales the other
  // tokens.
  std::optional<int32_t> dropped_token_id = {};
  bool normalizes_embeddings = true;  // set only in families whose files may say no
  bool tie_word_embeddings = true;
  // The labels of a classification head's outputs. nullopt: id2label of config.json has none for that output.
  std::vector<std::optional<std::string>> labels = {"LABEL_0", "LABEL_1"};
  // From viterbi_calibration.json, beside config.json.
  std::optional<TagBiases> tag_biases = {};
  ProblemType problem_type = ProblemType::kUnspecified;
  // The class of torch that sentence-transformers' CrossEncoder applies to a score, such as
  // "torch.nn.modules.linear.Identity"; "": not specified.
  std::string activation_fn = {};

  bool scales_embeddings = false;  // the words' vectors are multiplied by the square root of their width
  size_t embedding_size = 0;       // width of the embedding tables; 0: hidden_size
  size_t num_hidden_groups = 0;    // groups of layers with shared weights; 0: each layer has its own
  size_t inner_group_num = 1;      // layers of a group
  // If set, positions count only tokens with other ids, and start at this id + 1; else all tokens, from 0.
  std::optional<int32_t> position_padding_id = {};

  std::optional<Quantization> quantization = {};
  bool bfloat16_products = false;  // matrices are multiplied in bfloat16 unless another precision is requested
                                   // (Precision::kBFloat16)
  std::optional<DisentangledAttention> disentangled = {};
  std::optional<ConvolutionConfig> convolution = {};
  std::optional<ShortConvolutionConfig> short_convolution = {};
  std::optional<TaskAdapters> adapters = {};
  std::optional<ExpertConfig> experts = {};
  std::optional<LanguageAdapters> language_adapters = {};
  std::optional<BottleneckConfig> bottleneck = {};
  std::optional<DenseGroups> dense_groups = {};
  size_t span_convolution = 0;     // tokens that each convolution beside attention reads; 0: no such convolution
  bool norms_come_first = false;   // norms precede a block instead of following it, in families whose files say so
  bool gated_feed_forward = true;  // in families whose files may say no

  size_t num_key_value_heads = 0;  // each key and value head serves several query heads; 0: num_attention_heads
  size_t head_size = 0;            // 0: hidden_size / num_attention_heads
  // Attention scores are divided by the square root of this number; 0: of head_dim() times the terms of disentangled
  // attention.
  size_t query_pre_attn_scalar = 0;
  double attention_soft_cap = 0;  // a scaled score s becomes cap · tanh(s / cap); 0: scores are not capped
  bool causal_attention = false;  // a token attends only to itself and the tokens before it
  RotaryConfig rotary = {};       // for rotary positions
  // Whether each layer is local: a token attends to tokens at most local_distance away, and rotary positions use
  // local_rotary. Empty: no layer is local.
  std::vector<bool> local_layers = {};
  size_t local_distance = 0;
  std::vector<size_t> layer_distances = {};  // each layer's local_distance, if they differ; local_distance is then the
                                             // shortest
  GlobalTokens global_tokens = GlobalTokens::kNone;
  int32_t separator_id = 0;           // for GlobalTokens::kBeforeSeparator
  size_t longest_full_attention = 0;  // longer texts need block-sparse attention, which is not implemented; 0: no limit
  RotaryConfig local_rotary = {};
  // Which dense layers and norms have biases, in families whose files say so.
  bool attention_bias = true;
  bool mlp_bias = true;
  bool norm_bias = true;
  size_t task_type_vocab_size = 0;  // rows of ERNIE's table of task embeddings; 0: there is none
  bool classifier_bias = true;
  bool decoder_bias = true;
  ClassifierPooling classifier_pooling = ClassifierPooling::kFirst;  // in families whose files say so
  std::string classifier_activation = {};                            // for a head's dense layer; "": hidden_act
  // Width of the tokens' vectors that are pooled, after the projection linear.weight; 0: they are not projected.
  size_t projected_size = 0;
  size_t prediction_head_size = 0;  // width of a masked-token head's first dense layer; 0: hidden_size

  // For messages: position_embedding_type, with "learned" in place of "absolute", and " before every layer" if the
  // position vectors are added there.
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
