// The parts of a model after its encoder: the modules that make vectors from the encoder's output. Immutable after it
// is read.
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
  // For a late-interaction model: the modules for its tokens' vectors, and its rules for texts.
  std::optional<ModuleChain> token_modules = {};
  std::optional<LateInteraction> late = {};
  std::optional<LexicalWeights> lexical = {};  // BGE-M3's sparse vectors
  std::optional<ModuleChain> classifier = {};  // its vectors are the logits of a sequence classification
};

// Finds the matrix beside the encoder's weights that is one of the token modules of a late-interaction model: sets its
// size in the settings, and returns the names of such tensors, which the encoder does not read. Throws Error if it is
// missing.
std::vector<std::string_view> measure_token_modules(SentenceSettings& settings, const Checkpoint& checkpoint);

// Reads the parts, and makes the sources' labels as many as a classifier's outputs. Throws Error for malformed modules.
SentenceParts read_sentence_parts(ModelSources& sources, const WeightReaderOptions& reading);

}  // namespace bert
