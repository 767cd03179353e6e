// A family of encoders as constant data: the names of its configuration's fields and of its tensors, and the
// differences in its parts. Only the family's own file in models/families/ contains its name. To add a family, add a
// file x.cc there, which defines x_family; the build lists these files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "bert/config.h"
#include "bert/model.h"
#include "engine/base/json/json_object.h"
#include "engine/checkpoint/weight_reader.h"
#include "engine/kernels/activation.h"
#include "engine/layers/feed_forward.h"
#include "engine/layers/norm.h"
#include "engine/layers/rotary.h"
#include "models/config/quantization.h"
#include "tokenizer/family.h"

namespace bert {

// The name of each setting in config.json. Null: there is no such field, and the family's default applies.
struct ConfigFields {
  const char* hidden_size = "hidden_size";
  const char* num_hidden_layers = "num_hidden_layers";
  const char* num_attention_heads = "num_attention_heads";
  const char* intermediate_size = "intermediate_size";
  const char* max_position_embeddings = "max_position_embeddings";
  const char* type_vocab_size = "type_vocab_size";
  const char* hidden_act = "hidden_act";
  const char* layer_norm_eps = "layer_norm_eps";
  const char* position_embedding_type = "position_embedding_type";
  const char* embedding_size = nullptr;
  const char* num_hidden_groups = nullptr;
  const char* inner_group_num = nullptr;
  // The file may also have the usual names hidden_size, num_hidden_layers, num_attention_heads and
  // max_position_embeddings, which then have precedence, because the reference's class maps them to its own names
  // (attribute_map).
  bool usual_names_count = false;
  bool usual_intermediate_size_counts = false;  // as usual_names_count, for intermediate_size
};

// Used for fields that config.json lacks.
struct ConfigDefaults {
  size_t vocab_size = 30522;
  size_t hidden_size = 768;
  size_t num_hidden_layers = 12;
  size_t num_attention_heads = 12;
  size_t intermediate_size = 3072;
  size_t max_position_embeddings = 512;
  size_t type_vocab_size = 2;
  std::string_view hidden_act = "gelu";
  double layer_norm_eps = 1e-12;
  std::string_view position_embedding_type = "absolute";
  int32_t pad_token_id = 0;
  size_t embedding_size = 0;  // 0: hidden_size
  bool tie_word_embeddings = true;
};

// Whether a dense layer or a norm has a bias: always, never, or by a setting of the configuration.
enum class Bias { kAlways, kNever, kAttention, kFeedForward, kNorm, kClassifier, kDecoder };
bool has_bias(Bias bias, const ModelConfig& config);

enum class HeadInput {
  kEachToken,
  kFirstToken,
  kLastToken,          // the last token whose id is not pad_token_id
  kMeanToken,          // the mean of the tokens
  kMeanOfOutputs,      // each token; the result is the mean of the tokens' outputs
  kPooled,             // the pooler's output
  kClassifierPooling,  // as the configuration's classifier_pooling says; only in HeadNames
};

// A head: optional dense layers with activations, an optional norm, then the output layer.
struct HeadNames {
  Head head;
  HeadInput input;
  std::string_view dense = {};         // empty: no such layer
  std::string_view second_dense = {};  // follows `dense`, with the same activation and no bias
  Bias dense_bias = Bias::kAlways;
  std::optional<Activation> activation = {};  // the activation of `dense`; nullopt: the configuration's
  std::string_view norm = {};                 // empty: no norm
  NormKind norm_kind = NormKind::kLayerNorm;  // used if the family's kind is none
  // For a tied masked-token head: the last columns of the output layer, [inputs - width of the word table, vocabulary].
  std::string_view more_columns = {};
  std::string_view output;  // for a masked-token head: its own weight, if it is untied
  Bias output_has_bias = Bias::kAlways;
  std::string_view output_bias = {};  // "x.bias" if the bias is not next to the weight
};

// Names of tensors without prefix; ".weight" and ".bias" are added. Empty: the family has no such part. In a layer's
// names "{}" is the layer's number; if layers are shared, "{group}" is the group's number and "{inner}" the layer's
// number in it.
struct EncoderNames {
  std::string_view word_embeddings;
  std::string_view other_word_embeddings = {};  // in files that lack word_embeddings
  std::string_view token_type_embeddings = {};
  std::string_view task_type_embeddings = {};  // its first row is also added, if the configuration has a table size for
                                               // it
  std::string_view position_embeddings = {};
  std::string_view embeddings_norm = {};
  std::string_view embedding_projection = {};  // from the embedding size to the layers' size

  std::string_view norm_before_attention = {};
  std::string_view query = {};
  std::string_view key = {};
  std::string_view value = {};
  std::string_view qkv = {};  // instead of query, key and value: the three stacked
  // Instead of query, key and value: the three of the first head, then those of the second head, and so on. Only
  // queries and values have biases, which have these whole names.
  std::string_view qkv_of_heads = {};
  std::string_view query_bias = {};
  std::string_view value_bias = {};
  std::string_view query_norm = {};  // for each head, before positions
  std::string_view key_norm = {};
  std::string_view sinks = {};             // one number for each head
  std::string_view span_convolution = {};  // the part with the convolutions beside attention, if the configuration has
                                           // them
  // For global tokens, if the configuration has them.
  std::string_view global_query = {};
  std::string_view global_key = {};
  std::string_view global_value = {};
  std::string_view attention_output;
  // Instead of queries, keys, values and attention_output, in layers with a convolution.
  std::string_view short_convolution_input = {};
  std::string_view short_convolution = {};
  std::string_view short_convolution_output = {};
  std::string_view norm_of_attention = {};
  std::string_view norm_after_attention = {};
  std::string_view norm_before_feed_forward = {};
  std::string_view feed_forward_gate = {};  // the half of the gate with the activation, if it is a separate tensor
  std::string_view feed_forward_up;
  std::optional<Gate::Activated> stacked_gate = {};  // set if `feed_forward_up` has both halves
  std::string_view feed_forward_down;
  std::string_view norm_of_feed_forward = {};
  std::string_view norm_after_feed_forward = {};
  std::string_view plain_up = {};  // instead of the gate and feed_forward_up, if the configuration has no gate
  // The tensors of a layer with experts, if the configuration has experts. Without a gate: the router; all experts'
  // first layers [experts * intermediate, hidden]; their second layers, transposed, of the same shape; one bias of the
  // second layers. Names have no ".weight". With a gate: the router with a bias; the first layers [experts, hidden, 2 *
  // intermediate], the gate's half first; the second layers [experts, intermediate, hidden]; a bias of each, whose name
  // ends with "_bias".
  std::string_view router = {};
  std::string_view experts_up = {};
  std::string_view experts_down = {};
  std::string_view experts_bias = {};

  // With bottlenecks: the dense layer of the words; in a layer, the part with the input projections, the output
  // projection, and the first feed-forward networks. Parts inside these have MobileBERT's names.
  std::string_view word_projection = {};
  std::string_view bottleneck = {};
  std::string_view bottleneck_exit = {};
  std::string_view first_feed_forwards = {};
  std::string_view language_adapters = {};  // the part of a layer with one adapter for each language
  std::string_view language_norm = {};

  std::string_view distance_embedding = {};  // of a layer with relative positions
  std::string_view relative_bias = {};       // one table for all layers, or one for each layer
  // Disentangled attention: a table of distances for all layers, the norm of its rows, and a layer's projections of the
  // rows if they are not those of its queries and keys.
  std::string_view distance_table = {};
  std::string_view distance_norm = {};
  std::string_view distance_query = {};
  std::string_view distance_key = {};
  std::string_view convolution = {};  // parallel to the first layer, if the configuration has one
  std::string_view convolution_norm = {};
  std::string_view final_norm = {};
  std::string_view pooler = {};
  std::string_view contacts = {};  // the dense layer over the attention weights of all layers and heads
};

// The shape of a weight in groups, whose outputs read only the inputs of their group.
enum class GroupedShape : uint8_t {
  kOneByOne,  // [outputs, inputs / groups, 1], also for one group
  kByGroup    // [groups, inputs / groups, outputs / groups]; [outputs, inputs] for one group
};

struct Family {
  std::string_view model_type;  // as in config.json
  // The family applies only to this position_embedding_type; another family has the same model_type. Empty: to any.
  std::string_view position_embedding_type = {};
  std::string_view class_prefix;  // prefix of the class names in `architectures`, and of the tokenizer's class
  // The class that modules.json names instead of sentence-transformers' Transformer, if the model brings its own.
  std::string_view transformer_class = {};
  // Whether sentence-transformers 6.2 reads its settings from sentence_<model_type>_config.json.
  bool names_sentence_file = false;
  TokenizerFamily tokenizer = {};
  ConfigDefaults defaults = {};
  ConfigFields fields = {};
  const char* sizes_in = nullptr;              // the object of config.json with these fields; null: config.json itself
  const ConfigFields* older_fields = nullptr;  // used instead if config.json has older_fields->hidden_size
  // Reads the settings of config.json that only this family has, and rejects unsupported ones.
  void (*read_settings)(const JsonObject& fields, ModelConfig& config) = nullptr;
  // Positions count the tokens that are not padding, and start after the padding id. The padding id is the
  // configuration's pad_token_id, unless padding_of_positions overrides it.
  bool positions_skip_padding = false;
  std::optional<int32_t> padding_of_positions = {};

  WeightNames weights;
  EncoderNames names;
  const EncoderNames* other_names = nullptr;  // the names in files that another version wrote
  bool projects_equal_sizes = false;          // a projection from the embedding size to the layers' size exists even if
                                              // both are equal
  bool scales_embeddings = false;             // multiplies embeddings by the square root of their width, unless
                                              // read_settings says otherwise
  size_t first_position_row = 0;              // of the position table, which has this many additional rows
  NormKind norm = NormKind::kLayerNorm;
  bool final_norm_if_first = false;      // a norm follows the last layer if norms_come_first
  bool norm_weights_are_less_1 = false;  // the file stores the norms' weights minus 1
  Bias norm_bias = Bias::kAlways;
  bool first_layer_is_normed = true;  // the first layer has a norm before its attention, as the others have
  Bias attention_bias = Bias::kAlways;
  std::optional<Bias> attention_output_bias = {};  // set if it differs from the other biases
  Bias up_bias = Bias::kAlways;
  Bias down_bias = Bias::kAlways;
  GroupedShape grouped_shape = GroupedShape::kOneByOne;  // for configurations with dense_groups
  Bias distance_key_bias = Bias::kAlways;
  bool scales_distances = true;  // the value that relative positions add is scaled like the score
  RotaryPairs rotary_pairs = RotaryPairs::kHalves;

  std::span<const HeadNames> heads = {};
  std::span<const RenamedPart> renamed_parts = {};  // for layers of 8-bit models that config.json names
};

// Returns all families, in the order of their file names.
std::span<const Family* const> families();
// Returns whether a dense layer follows the embeddings.
bool projects_embeddings(const ModelConfig& config, const Family& family);

// Returns nullptr if there is no such family. A family with this position_embedding_type has precedence over one for
// any.
const Family* find_family(std::string_view model_type, std::string_view position_embedding_type = "");

ModelConfig default_config(const Family& family);

#define BERT_FAMILY(name) extern const Family name##_family;
#include "families.inc"
#undef BERT_FAMILY

}  // namespace bert
