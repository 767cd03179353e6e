// The parts of a model: its encoder, with the weights, the plan that reads them, and the packed weights; and the
// modules after the encoder. Immutable after they are read, except the packed weights, which the first passes make.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bert/load_options.h"
#include "bert/logits.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/weight_reader.h"
#include "models/encoder/packed_weights.h"
#include "models/encoder/plan.h"
#include "models/model/model_extension.h"
#include "models/model/model_sources.h"
#include "models/sentence/late_interaction.h"
#include "models/sentence/lexical_weights.h"
#include "models/sentence/module_chain.h"

namespace bert {

// The encoder, or a static model's table as a plan without layers.
struct EncoderParts {
  WeightStorage weights;
  EncoderPlan plan;         // views of the weights
  std::vector<Head> heads;  // the plan's heads
  std::string precision_reason;
  std::unique_ptr<PackedWeights> packed = {};            // for the plan's layers; null: weights are never packed
  std::unique_ptr<const ModelExtension> extension = {};  // read from the same file; null: the model has none

  // Returns one of the linear layers' weights, which all have one format and arithmetic; or the table.
  const WeightView& weight() const {
    return plan.layers.empty() ? plan.embeddings.word : plan.layers.front().attention.qkv.parts.front().weight;
  }
};

// Reads the encoder. unused: tensors of other parts in the same file, which others read. Throws Error for weights that
// are missing, malformed or of another precision than the requested one.
EncoderParts read_encoder(const ModelSources& sources, Checkpoint checkpoint, const LoadOptions& options,
                          std::span<const std::string_view> unused);
// Makes a static model's encoder: a plan with a table and no layers.
EncoderParts table_alone(StaticTable table);

// Finds the file of packed weights beside the weights, if `has_folder`. Passes make the panels that the file lacks, as
// LoadOptions::packing and packed_bytes say.
void pack_weights(EncoderParts& encoder, const Gemm& gemm, const LoadOptions& options, bool has_folder);

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
