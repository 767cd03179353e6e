// What a model has after its encoder: the modules that make vectors of the encoder's output. Immutable after it is
// read.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/weight_reader.h"
#include "models/model/model_sources.h"
#include "models/sentence/late_interaction.h"
#include "models/sentence/lexical_weights.h"
#include "models/sentence/module_chain.h"

namespace bert {

// What makes a text's vectors of the encoder's output.
struct SentenceParts {
  ModuleChain modules;
  // For a late-interaction model: the modules of its tokens' vectors, and its rules for texts.
  std::optional<ModuleChain> token_modules = {};
  std::optional<LateInteraction> late = {};
  std::optional<LexicalWeights> lexical = {};  // BGE-M3's sparse vectors
  std::optional<ModuleChain> classifier = {};  // whose vectors are the logits of a sequence classification
};

// A matrix beside the encoder's that is one of the modules of a late-interaction model's tokens: sets its size in the
// settings, and returns the names of such tensors, which the encoder does not read. Throws Error if it is not there.
std::vector<std::string_view> measure_token_modules(SentenceSettings& settings, const Checkpoint& checkpoint);

// The sources' labels become as many as a classifier's outputs. Throws Error for modules that are malformed.
SentenceParts read_sentence_parts(ModelSources& sources, const WeightReaderOptions& reading);

}  // namespace bert
