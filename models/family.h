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
#include "engine/checkpoint/weight_reader.h"
#include "engine/kernels/activation.h"
#include "tokenizer/family.h"

namespace bert {

// The name of a setting in config.json. Null: no such field, the family's default applies.
struct ConfigFields {
  const char* hidden_size = "hidden_size";
  const char* num_hidden_layers = "num_hidden_layers";
  const char* num_attention_heads = "num_attention_heads";
  const char* intermediate_size = "intermediate_size";
  const char* type_vocab_size = "type_vocab_size";
  const char* hidden_act = "hidden_act";
  const char* layer_norm_eps = "layer_norm_eps";
  const char* position_embedding_type = "position_embedding_type";
  const char* embedding_size = nullptr;
  const char* num_hidden_groups = nullptr;
  const char* inner_group_num = nullptr;
};

// The values if config.json has none.
struct ConfigDefaults {
  size_t vocab_size = 30522;
  size_t hidden_size = 768;
  size_t num_hidden_layers = 12;
  size_t num_attention_heads = 12;
  size_t intermediate_size = 3072;
  size_t type_vocab_size = 2;  // 0: config.json may say so too, and then there are no segments
  std::string_view hidden_act = "gelu";
  double layer_norm_eps = 1e-12;
  std::string_view position_embedding_type = "absolute";
  int32_t pad_token_id = 0;
  size_t embedding_size = 0;  // 0: hidden_size
};

enum class HeadInput { kEachToken, kFirstToken, kPooled };

// A head: an optional dense layer with an activation, an optional LayerNorm, then the output layer.
struct HeadNames {
  Head head;
  HeadInput input;
  std::string_view dense = {};                // empty: none
  std::optional<Activation> activation = {};  // of `dense`; nullopt: the configuration's
  std::string_view norm = {};                 // empty: none
  std::string_view output;                    // of a masked-token head: its own weight, if untied
  std::string_view output_bias = {};          // "x.bias" if it is not next to the weight
};

// Names without prefix; ".weight" and ".bias" are added. In a layer's names "{}" is the layer's number; with shared
// layers, "{group}" is the group's and "{inner}" the layer's number in it.
struct Family {
  std::string_view model_type;    // as in config.json
  std::string_view class_prefix;  // of the class names in `architectures`, and of the tokenizer's class
  TokenizerFamily tokenizer = {};
  ConfigDefaults defaults = {};
  ConfigFields fields = {};
  // Positions count the tokens that are not padding, starting after the padding id: the configuration's pad_token_id,
  // or this one, which overrides it.
  bool positions_skip_padding = false;
  std::optional<int32_t> padding_of_positions = {};

  WeightNames weights;
  std::string_view word_embeddings;
  std::string_view token_type_embeddings;  // empty: no segments
  std::string_view position_embeddings;
  std::string_view embeddings_norm;
  std::string_view embedding_projection = {};  // from the embedding size to the layers'
  bool projects_equal_sizes = false;           // projects even if the sizes are equal

  std::string_view query;
  std::string_view key;
  std::string_view value;
  std::string_view attention_output;
  std::string_view attention_norm;
  std::string_view feed_forward_up;
  std::string_view feed_forward_down;
  std::string_view output_norm;

  std::string_view distance_embedding = {};  // of a layer with relative positions
  bool scales_distances = true;              // the added value is scaled as the score is
  std::string_view relative_bias = {};       // one for all layers

  // Disentangled attention: its fields in config.json, a table of distances for all layers, the norm of its rows, and
  // layers' projections of them if they do not share those of queries and keys.
  bool has_disentangled_attention = false;
  std::string_view distance_table = {};
  std::string_view distance_norm = {};
  std::string_view distance_query = {};
  std::string_view distance_key = {};

  std::string_view pooler = {};  // empty: none
  std::span<const HeadNames> heads = {};
};

// All families, in the order of their file names.
std::span<const Family* const> families();
const Family* find_family(std::string_view model_type);  // nullptr: none

ModelConfig default_config(const Family& family);

#define BERT_FAMILY(name) extern const Family name##_family;
#include "families.inc"
#undef BERT_FAMILY

}  // namespace bert
