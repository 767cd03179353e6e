// A sequence of ids for the encoder, and what the encoder makes of it. Plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bert/error.h"
#include "bert/tokenizer.h"

namespace bert {

// One sequence of ids. Views: the caller keeps the memory alive during the call.
struct TokenSequence {
  std::span<const int32_t> ids;
  std::span<const int32_t> type_ids = {};  // empty: all 0
  std::span<const uint8_t> attention_mask =
      {};  // empty: all 1. Masked tokens get no row; the others keep their positions. The first token that is not
           // masked counts as [CLS] for cls pooling, the pooler and the heads with one row
  // The last so many ids attend to the tokens before them, and no token attends to them: the expansion of a query in a
  // late-interaction model (bert/token_vectors.h). Not with an attention_mask, nor with relative positions.
  size_t unattended = 0;
  // If not null, set by a forward pass with 8-bit weights: the sequence's coarse rows (docs/NUMERICS.md, "Coarse rows")
  // in the embeddings, in each layer, then in the pooler and a head if these were computed.   [layers + 1, or more]
  std::vector<size_t>* coarse_rows_by_layer = nullptr;
};

struct EncodeOptions {
  bool hidden_states = false;
  bool attentions = false;
  bool operator==(const EncodeOptions&) const = default;
};

// The encoder's outputs for one sequence. Rows are the tokens whose attention_mask is 1, in order.
struct EncodedSequence {
  size_t tokens = 0;
  size_t hidden = 0;
  std::vector<float> last_hidden_state;  // [tokens, hidden]
  std::vector<float> pooler_output;      // [hidden]; empty if the model has no pooler
  std::vector<float> hidden_states;      // [layers + 1, tokens, hidden], if requested
  std::vector<float> attentions;  // [config.attention_layers(), heads, tokens (query), tokens (key)], if requested
};

struct EncodedText : EncodedSequence {
  Encoding encoding;
  size_t unknown_tokens = 0;        // of the encoding
  size_t coarse_rows = 0;           // with 8-bit weights: rows of activations that 8 bits hardly hold
  std::optional<Error> error = {};  // for calls with many texts: set if this text failed; the rest is then empty
};

// The number of floats in each vector of an EncodedSequence, if all are requested.
struct EncodeSizes {
  size_t tokens = 0;  // rows
  size_t last_hidden_state = 0;
  size_t pooler_output = 0;
  size_t hidden_states = 0;
  size_t attentions = 0;
};

// The caller's memory for one sequence's outputs, with the sizes of EncodeSizes. Null: not requested.
struct EncodeBuffers {
  float* last_hidden_state = nullptr;
  float* pooler_output = nullptr;
  float* hidden_states = nullptr;
  float* attentions = nullptr;
};

}  // namespace bert
