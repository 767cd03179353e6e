// A family of encoders is data: what its configuration's fields and its tensors are called, where its parts differ. The
// engine knows shapes only, and nothing outside of a family's own file, in models/families/, names it. A new file
// there, x.cc with x_family(), is all that a new family needs: the build makes the list of them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bert/config.h"
#include "bert/model.h"
#include "engine/checkpoint/weight_reader.h"
#include "engine/kernels/activation.h"
#include "tokenizer/family.h"

namespace bert {

// What config.json calls a setting. Null: it has no such field, and the family's default holds.
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

enum class HeadInput { kEachToken, kFirstToken, kPooled };

// A head: maybe a dense layer with an activation, maybe a LayerNorm, then the output layer.
struct HeadNames {
  Head head;
  HeadInput input;
  std::string_view dense = {};                // empty: none
  std::optional<Activation> activation = {};  // of `dense`; none: the configuration's
  std::string_view norm = {};                 // empty: none
  std::string_view output;                    // of a head for masked tokens, where its own weight is, if untied
  std::string_view output_bias = {};          // "x.bias" where it is not beside the weight
};

// Names without prefix; ".weight" and ".bias" are added. In the layer's names "{}" is the layer's number; where layers
// are shared, "{group}" is the group's and "{inner}" the layer's in it.
struct Family {
  std::string_view model_type;    // as config.json says
  std::string_view class_prefix;  // of the class names in `architectures`, and of the tokenizer's class
  TokenizerFamily tokenizer = {};
  ModelConfig defaults;  // where config.json does not say
  ConfigFields fields;
  // Positions count the tokens whose id is not the padding's, from the one after it: the padding id is the
  // configuration's pad_token_id, or this one whatever that says.
  bool positions_skip_padding = false;
  std::optional<int32_t> padding_of_positions = {};

  WeightNames weights;
  std::string_view word_embeddings;
  std::string_view token_type_embeddings;  // empty: no segments
  std::string_view position_embeddings;
  std::string_view embeddings_norm;
  std::string_view embedding_projection = {};  // from the embeddings' size to the layers'
  bool projects_equal_sizes = false;           // it is there even where the sizes are equal

  std::string_view query;
  std::string_view key;
  std::string_view value;
  std::string_view attention_output;
  std::string_view attention_norm;
  std::string_view feed_forward_up;
  std::string_view feed_forward_down;
  std::string_view output_norm;

  std::string_view distance_embedding = {};  // of a layer with relative positions
  bool scales_distances = true;              // what it adds is scaled as the score is
  std::string_view relative_bias = {};       // one for all layers

  std::string_view pooler = {};  // empty: never
  std::vector<HeadNames> heads;
};

// All families, in the order of their files' names.
std::span<const Family* const> families();
const Family* find_family(std::string_view model_type);  // nullptr: none

// A family that shares most of another's data begins with a copy of it.
#define BERT_FAMILY(name) const Family& name##_family();
#include "families.inc"
#undef BERT_FAMILY

}  // namespace bert
