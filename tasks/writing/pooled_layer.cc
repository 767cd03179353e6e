// The features of a fitted classifier: a text's vector after a given layer.
#include <numeric>
#include <string>
#include <vector>

#include "bert/fit.h"
#include "models/sentence/pooling.h"

namespace bert {

std::vector<float> pooled_layer(const EncodedSequence& encoded, size_t layer, PoolingMode mode) {
  const size_t tokens = encoded.tokens, hidden = encoded.hidden;
  if (mode == PoolingMode::kPooler) {
    throw Error(ErrorCode::kInvalidArgument, "pooling pooler of a layer, expected one of the tokens' vectors");
  }
  if (tokens == 0 || hidden == 0 || encoded.hidden_states.size() / (tokens * hidden) <= layer) {
    throw Error(ErrorCode::kInvalidArgument, std::to_string(encoded.hidden_states.size()) +
                                                 " hidden states' values, expected those of layer " +
                                                 std::to_string(layer) + " of " + std::to_string(tokens) + " tokens");
  }
  std::vector<int32_t> places(tokens);
  std::iota(places.begin(), places.end(), 0);
  std::vector<float> vector(hidden);
  const float* states = encoded.hidden_states.data() + layer * tokens * hidden;
  pool_tokens(mode, {states, tokens, hidden, hidden}, places, vector);
  return vector;
}

}  // namespace bert
