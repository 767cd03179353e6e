// Compares two forms of one model, such as a quantised model and its source, on the same texts: their vectors, their
// hidden states, their labels, and how well their cosines correlate with people's ratings.
//
//   bert::TextItem text = {.text = "The dog saw a fox."};
//   double cosine = bert::compare_models(small, source, {&text, 1}).cosines.front();
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bert/export.h"
#include "bert/model.h"
#include "bert/text_pipeline.h"

namespace bert {

// Two sentences and how similar people rate them, on any scale.
struct RatedPair {
  std::string first, second;
  double score = 0;
};

struct ComparisonOptions {
  TextOptions texts = {};                // how texts are truncated; each is one sequence, without windows
  std::vector<RatedPair> pairs = {};     // for the correlation with people's ratings
  std::vector<std::string> labels = {};  // for models that read labels
  double threshold = 0.5;                // with labels: entities have scores above it
  // Called with the reference model's result of each text, in order, also of a failed text.
  std::function<void(const TextResult&)> seen = {};
  // Returns the name of texts[index] in errors. Default: "text 1", …
  std::function<std::string(size_t index)> name_of = {};
};

// One hidden state, over all tokens. Distances are relative to the norm of the reference's vector; means are over
// tokens.
struct LayerComparison {
  double loss = 0;        // mean distance if the layer gets the reference's input; equals `distance` for layer 0, the
                          // embeddings
  double distance = 0;    // mean distance, including the errors of earlier layers
  double difference = 0;  // the largest absolute difference of two numbers, including the errors of earlier layers
};

// Spearman's correlation of the pairs' cosines with their scores, for the model and for the reference.
struct PairComparison {
  size_t pairs = 0;
  double spearman = 0;
  double reference_spearman = 0;
};

// Differences in labels, for the task that both models have; both members are set if they have both tasks.
struct LabelComparison {
  struct Entities {
    size_t reference = 0;  // entities of the reference
    size_t lost = 0;       // of the reference's entities, those that the model does not find
    size_t found = 0;      // entities that only the model finds
  };
  struct Classes {
    size_t texts = 0;
    size_t changed = 0;  // texts whose best label differs
  };
  size_t labels = 0;
  std::optional<Entities> entities;
  std::optional<Classes> classes;
  // Changes of scores that both models give.
  double mean_change = 0;
  double largest_change = 0;
};

struct ModelComparison {
  size_t texts = 0;  // number of compared texts: those that did not fail
  size_t tokens = 0;
  std::vector<double> cosines;          // cosine of a text's two vectors   [texts]
  size_t least_similar = 0;             // index, among all given texts, of the text with the smallest cosine
  size_t neighbours = 0;                // how many nearest texts are compared; 0: too few texts
  double neighbours_kept = 0;           // share of the reference's nearest texts that are the model's too
  std::vector<LayerComparison> layers;  // [layers + 1]
  // The number of rows of activations that 8 bits represent poorly, if the model has 8-bit weights: one count for each
  // of `layers`, then one for the pooler and one for the head, if computed. Empty: the model has no 8-bit weights.
  std::vector<size_t> coarse_rows;
  std::optional<PairComparison> pairs;
  std::optional<LabelComparison> labels;
};

// Compares `model` with `reference` on `texts`; a text that fails for the reference is left out. Throws
// Error(kInvalidArgument) if the models differ in shape or in their tokens, if labels are given and a model does not
// read them, or if no text is left; and the error of a text that fails for the model alone or of a failing text of the
// pairs.
BERT_API ModelComparison compare_models(const Model& model, const Model& reference, std::span<const TextItem> texts,
                                        const ComparisonOptions& options = {});

}  // namespace bert
