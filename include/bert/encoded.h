// A sequence of ids for the encoder, and the encoder's outputs. Plain data.
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
      {};  // empty: all 1. Masked tokens get no row; the others keep their positions. The first unmasked token serves
           // as [CLS] for cls pooling, the pooler and the heads with one row
  // The last `unattended` ids attend to the tokens before them, and no token attends to these ids. This is how a
  // late-interaction model expands a query (bert/token_vectors.h). Not allowed with an attention_mask or with relative
  // positions.
  size_t unattended = 0;
  // If not null, a forward pass with 8-bit weights sets it to the counts of coarse rows (docs/NUMERICS.md, "Coarse
  // rows") in the embeddings, in each layer, then in the pooler and a head if these were computed.   [layers + 1, or
  // more]
  std::vector<size_t>* coarse_rows_by_layer = nullptr;
};

struct EncodeOptions {
  bool hidden_states = false;
  bool attentions = false;
  bool contacts = false;  // of a protein's residues; only for a model with a head for them (Model::require_contacts)
  bool operator==(const EncodeOptions&) const = default;
};

// Returns the number of a protein's residues: the tokens between the first and the last one.
inline size_t residue_count(size_t tokens) { return tokens < 2 ? 0 : tokens - 2; }

// The encoder's outputs for one sequence. Rows are the tokens whose attention_mask is 1, in order.
struct EncodedSequence {
  size_t tokens = 0;
  size_t hidden = 0;
  std::vector<float> last_hidden_state;  // [tokens, hidden]
  std::vector<float> pooler_output;      // [hidden]; empty if the model has no pooler
  std::vector<float> hidden_states;      // [layers + 1, tokens, hidden], if requested
  std::vector<float> attentions;     // [config.attention_layers(), heads, tokens (query), tokens (key)], if requested
  std::vector<float> contacts = {};  // [residue_count(tokens), residue_count(tokens)], probabilities, if requested
};

struct EncodedText : EncodedSequence {
  Encoding encoding;
  size_t unknown_tokens = 0;        // number of unknown tokens in the encoding
  size_t coarse_rows = 0;           // with 8-bit weights: number of rows of activations that 8 bits represent poorly
  std::optional<Error> error = {};  // set if this text of many failed; the other members are then empty
};

// The number of floats in each vector of an EncodedSequence, if all outputs are requested.
struct EncodeSizes {
  size_t tokens = 0;  // rows
  size_t last_hidden_state = 0;
  size_t pooler_output = 0;
  size_t hidden_states = 0;
  size_t attentions = 0;
  size_t contacts = 0;
};

// The caller's memory for one sequence's outputs, with the sizes of EncodeSizes. Null: not requested.
struct EncodeBuffers {
  float* last_hidden_state = nullptr;
  float* pooler_output = nullptr;
  float* hidden_states = nullptr;
  float* attentions = nullptr;
  float* contacts = nullptr;
};

}  // namespace bert
