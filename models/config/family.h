// A family of encoders as constant data: the names of its configuration's fields and of its tensors, and the
// differences in its parts. Only the family's own file in models/families/ contains its name. A new family is a new
// file there: x.cc, which defines x_family; the build creates the list of them.
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

// The name of a setting in config.json. Null: no such field, the family's default applies.
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
  // Beside the family's own names the file may have hidden_size, num_hidden_layers, num_attention_heads and
  // max_position_embeddings, which then count: the reference's class maps them to its own (attribute_map).
  bool usual_names_count = false;
  bool usual_intermediate_size_counts = false;  // and intermediate_size
};

// The values if config.json has none.
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

// Whether a dense layer or a norm has a bias: a constant of the family, or a setting of the configuration.
enum class Bias { kAlways, kNever, kAttention, kFeedForward, kNorm, kClassifier, kDecoder };
bool has_bias(Bias bias, const ModelConfig& config);

enum class HeadInput {
  kEachToken,
  kFirstToken,
  kLastToken,          // the last one whose id is not pad_token_id
  kMeanToken,          // the mean of the tokens
  kMeanOfOutputs,      // each token; the mean of their outputs
  kPooled,             // the pooler's output
  kClassifierPooling,  // one of the others, by the configuration's classifier_pooling; only in HeadNames
};

// A head: optional dense layers with an activation each, an optional norm, then the output layer.
struct HeadNames {
  Head head;
  HeadInput input;
  std::string_view dense = {};         // empty: none
  std::string_view second_dense = {};  // after it, with the same activation and no bias
  Bias dense_bias = Bias::kAlways;
  std::optional<Activation> activation = {};  // of `dense`; nullopt: the configuration's
  std::string_view norm = {};                 // empty: none
  NormKind norm_kind = NormKind::kLayerNorm;  // where the family's is none
  // Of a tied masked-token head: [inputs - width of the word table, vocabulary], the output layer's last columns.
  std::string_view more_columns = {};
  std::string_view output;  // of a masked-token head: its own weight, if untied
  Bias output_has_bias = Bias::kAlways;
  std::string_view output_bias = {};  // "x.bias" if it is not next to the weight
};

// Names without prefix; ".weight" and ".bias" are added. Empty: the family has no such part. In a layer's names "{}" is
// the layer's number; with shared layers, "{group}" is the group's and "{inner}" the layer's number in it.
struct EncoderNames {
  std::string_view word_embeddings;
  std::string_view other_word_embeddings = {};  // of files without these
  std::string_view token_type_embeddings = {};
  std::string_view task_type_embeddings = {};  // whose first row is added too, if the configuration has any
  std::string_view position_embeddings = {};
  std::string_view embeddings_norm = {};
  std::string_view embedding_projection = {};  // from the embedding size to the layers'

  std::string_view norm_before_attention = {};
  std::string_view query = {};
  std::string_view key = {};
  std::string_view value = {};
  std::string_view qkv = {};  // in place of these, the three stacked
  // In place of these, the three of the first head, then those of the second, and so on; their biases are the queries'
  // and the values' only, by whole names.
  std::string_view qkv_of_heads = {};
  std::string_view query_bias = {};
  std::string_view value_bias = {};
  std::string_view query_norm = {};  // of each head, before positions
  std::string_view key_norm = {};
  std::string_view sinks = {};             // a number for each head
  std::string_view span_convolution = {};  // the part with the convolutions beside attention, if there are any
  // Of global tokens, if the configuration has any.
  std::string_view global_query = {};
  std::string_view global_key = {};
  std::string_view global_value = {};
  std::string_view attention_output;
  // In place of queries, keys and values and of attention_output, in layers with a convolution.
  std::string_view short_convolution_input = {};
  std::string_view short_convolution = {};
  std::string_view short_convolution_output = {};
  std::string_view norm_of_attention = {};
  std::string_view norm_after_attention = {};
  std::string_view norm_before_feed_forward = {};
  std::string_view feed_forward_gate = {};  // the half that gets the activation, if it is a tensor of its own
  std::string_view feed_forward_up;
  std::optional<Gate::Activated> stacked_gate = {};  // `feed_forward_up` has both halves
  std::string_view feed_forward_down;
  std::string_view norm_of_feed_forward = {};
  std::string_view norm_after_feed_forward = {};
  std::string_view plain_up = {};  // in place of the gate and feed_forward_up, where the configuration has no gate
  // The tensors of a layer with experts, if the configuration has any: the router; all experts' first layers [experts *
  // intermediate, hidden] and second ones, transposed, of the same shape; one bias of the second ones. Without
  // ".weight". With a gate: the router with a bias; the first layers [experts, hidden, 2 * intermediate], the gate's
  // half first, and the second ones [experts, intermediate, hidden]; a bias of each, by the names with "_bias".
  std::string_view router = {};
  std::string_view experts_up = {};
  std::string_view experts_down = {};
  std::string_view experts_bias = {};

  // With bottlenecks: the word's dense layer; in a layer the part with the entries, the exit, and the first
  // feed-forward networks. Their parts have MobileBERT's names.
  std::string_view word_projection = {};
  std::string_view bottleneck = {};
  std::string_view bottleneck_exit = {};
  std::string_view first_feed_forwards = {};
  std::string_view language_adapters = {};  // of a layer; a language's is below it
  std::string_view language_norm = {};

  std::string_view distance_embedding = {};  // of a layer with relative positions
  std::string_view relative_bias = {};       // one for all layers, or each layer's
  // Disentangled attention: a table of distances for all layers, the norm of its rows, and a layer's projections of
  // them if they are not those of its queries and keys.
  std::string_view distance_table = {};
  std::string_view distance_norm = {};
  std::string_view distance_query = {};
  std::string_view distance_key = {};
  std::string_view convolution = {};  // beside the first layer, if the configuration has one
  std::string_view convolution_norm = {};
  std::string_view final_norm = {};
  std::string_view pooler = {};
};

// The shape of a weight whose outputs read the inputs of their group only.
enum class GroupedShape : uint8_t {
  kOneByOne,  // [outputs, inputs / groups, 1], also where there is one group
  kByGroup    // [groups, inputs / groups, outputs / groups]; [outputs, inputs] where there is one
};

struct Family {
  std::string_view model_type;  // as in config.json
  // The family is that of this position_embedding_type only; another family has the same model_type. Empty: of any.
  std::string_view position_embedding_type = {};
  std::string_view class_prefix;  // of the class names in `architectures`, and of the tokenizer's class
  // The class that modules.json names in place of sentence-transformers' Transformer, if the model brings its own.
  std::string_view transformer_class = {};
  // Whether sentence-transformers 6.2 looks for its settings in sentence_<model_type>_config.json.
  bool names_sentence_file = false;
  TokenizerFamily tokenizer = {};
  ConfigDefaults defaults = {};
  ConfigFields fields = {};
  const char* sizes_in = nullptr;              // the object of config.json that has these fields; null: config.json
  const ConfigFields* older_fields = nullptr;  // if config.json has this hidden_size
  // Reads the settings of config.json that only this family has, and rejects those that are not supported.
  void (*read_settings)(const JsonObject& fields, ModelConfig& config) = nullptr;
  // Positions count the tokens that are not padding, starting after the padding id: the configuration's pad_token_id,
  // or this one, which overrides it.
  bool positions_skip_padding = false;
  std::optional<int32_t> padding_of_positions = {};

  WeightNames weights;
  EncoderNames names;
  const EncoderNames* other_names = nullptr;  // of files that another version wrote
  bool projects_equal_sizes = false;          // from the embedding size to the layers', even if they are equal
  bool scales_embeddings = false;             // by the root of their width, unless read_settings says otherwise
  size_t first_position_row = 0;              // of the table of positions; there are so many rows more
  NormKind norm = NormKind::kLayerNorm;
  bool final_norm_if_first = false;      // there is one where norms_come_first
  bool norm_weights_are_less_1 = false;  // the file has the norms' weights less 1
  Bias norm_bias = Bias::kAlways;
  bool first_layer_is_normed = true;  // before its attention, as the others are
  Bias attention_bias = Bias::kAlways;
  std::optional<Bias> attention_output_bias = {};  // if it is another
  Bias up_bias = Bias::kAlways;
  Bias down_bias = Bias::kAlways;
  GroupedShape grouped_shape = GroupedShape::kOneByOne;  // if the configuration has dense_groups
  Bias distance_key_bias = Bias::kAlways;
  bool scales_distances = true;  // the value that relative positions add is scaled as the score is
  RotaryPairs rotary_pairs = RotaryPairs::kHalves;

  std::span<const HeadNames> heads = {};
  std::span<const RenamedPart> renamed_parts = {};  // of 8-bit models' layers that are named in config.json
};

// All families, in the order of their file names.
std::span<const Family* const> families();
// Whether a dense layer follows the embeddings.
bool projects_embeddings(const ModelConfig& config, const Family& family);

// nullptr: none. A family of this position_embedding_type comes before one of any.
const Family* find_family(std::string_view model_type, std::string_view position_embedding_type = "");

ModelConfig default_config(const Family& family);

#define BERT_FAMILY(name) extern const Family name##_family;
#include "families.inc"
#undef BERT_FAMILY

}  // namespace bert
