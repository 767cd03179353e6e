// Changes a model's forward passes: leaves out the outputs of attention heads, or replaces tokens' vectors after a
// layer.
// Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <vector>

#include "bert/export.h"
#include "bert/model.h"

namespace bert {

// An attention head. Layers and heads count from 0; layers in the order of a forward pass.
struct HeadChoice {
  size_t layer = 0;
  size_t head = 0;
};

// What replaces a head's outputs: zeros, or each number's mean over the text's tokens.
enum class Ablation { kZero, kMean };

// Replaces a token's vector after a layer (0: the embeddings). A patch after the last layer acts after the final norm,
// if the model has one.
struct Patch {
  size_t layer = 0;
  size_t position = 0;        // the token's index in its sequence
  std::vector<float> vector;  // [hidden]
};

struct Interventions {
  std::vector<HeadChoice> heads = {};
  Ablation ablation = Ablation::kZero;  // for these heads
  std::vector<Patch> patches = {};
};

// Returns a model with the same weights, threads and scratch memory whose forward passes are all changed: those of
// embed, encode, logits and everything that calls them. `model` stays as it is, and need not outlive the result.
// Changes of an already changed model come after its earlier changes. Throws Error(kInvalidArgument) for a layer, a
// head or a vector that the model does not have, Error(kNotFound) for a model without layers. A forward pass throws if
// its sequence lacks the token of a patch.
BERT_API Model intervene(const Model& model, Interventions interventions);

}  // namespace bert
