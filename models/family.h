// A family of encoders is data: how its tensors are called. The engine knows shapes only, and nothing outside of a
// family's own file names it.
#pragma once

#include <string>
#include <string_view>

#include "engine/checkpoint/weight_reader.h"

namespace bert {

// Names without prefix; ".weight" and ".bias" are added. In the layer's names "{}" is the layer's number.
struct Family {
  std::string_view model_type;  // as config.json says
  WeightNames weights;

  std::string_view word_embeddings;
  std::string_view token_type_embeddings;
  std::string_view position_embeddings;
  std::string_view embeddings_norm;

  std::string_view query;
  std::string_view key;
  std::string_view value;
  std::string_view attention_output;
  std::string_view attention_norm;
  std::string_view feed_forward_up;
  std::string_view feed_forward_down;
  std::string_view output_norm;

  std::string_view pooler;
};

const Family& bert_family();

}  // namespace bert
