// Changes of a model's forward passes: outputs of attention heads left out, vectors of tokens after a layer replaced.
// Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <vector>

#include "bert/export.h"
#include "bert/model.h"

namespace bert {

// An attention head. Both count from 0; layers in the order of a forward pass.
struct HeadChoice {
  size_t layer = 0;
  size_t head = 0;
};

// What takes the place of a head's outputs: zeros, or for each number its mean over the text's tokens.
enum class Ablation { kZero, kMean };

// A token's vector after a layer (0: the embeddings), replaced; the last one is after the final norm, if there is one.
struct Patch {
  size_t layer = 0;
  size_t position = 0;        // of the token in its sequence
  std::vector<float> vector;  // [hidden]
};

struct Interventions {
  std::vector<HeadChoice> heads = {};
  Ablation ablation = Ablation::kZero;  // of these heads
  std::vector<Patch> patches = {};
};

// A model with the same weights, threads and scratch memory, every forward pass of which is changed: of embed, encode,
// logits and all that calls them. The model itself stays as it is, and need not outlive the other. Changes of a changed
// model come after those that it has. Throws Error(kInvalidArgument) for a layer, a head or a vector that the model
// does not have, Error(kNotFound) for a model without layers. A pass of a sequence without a patch's token throws.
BERT_API Model intervene(const Model& model, Interventions interventions);

}  // namespace bert
