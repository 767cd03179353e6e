// Compares two forms of one model, such as a quantised model and its source, on the same texts: their vectors, their
// layers, what they say of labels, and their correlation with people's judgements.
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

// Two sentences, and how similar people find them, on any scale.
struct RatedPair {
  std::string first, second;
  double score = 0;
};

struct ComparisonOptions {
  TextOptions texts = {};                // how they are cut: one sequence each, without windows
  std::vector<RatedPair> pairs = {};     // to correlate with people's judgements
  std::vector<std::string> labels = {};  // for models that read labels
  double threshold = 0.5;                // with labels: entities have scores above it
  // Called with the reference's result of each text, in order, also of one that failed.
  std::function<void(const TextResult&)> seen = {};
  // The name of texts[index] in errors. Default: "text 1", …
  std::function<std::string(size_t index)> name_of = {};
};

// One hidden state of all tokens. Distances are relative to the norm of the reference's vector; means are over tokens.
struct LayerComparison {
  double loss = 0;  // mean distance if the layer gets the reference's input; for layer 0, the embeddings, `distance`
  double distance = 0;    // mean distance, including what the layers before it cause
  double difference = 0;  // the largest of two numbers, including the same
};

// Spearman's correlation of the cosine of each pair with the pair's score.
struct PairComparison {
  size_t pairs = 0;
  double spearman = 0;
  double reference_spearman = 0;
};

// By the task that the models have; both if they have both.
struct LabelComparison {
  struct Entities {
    size_t reference = 0;  // entities of the reference
    size_t lost = 0;       // of these, not the model's
    size_t found = 0;      // the model's alone
  };
  struct Classes {
    size_t texts = 0;
    size_t changed = 0;  // texts whose best label is another one
  };
  size_t labels = 0;
  std::optional<Entities> entities;
  std::optional<Classes> classes;
  // Change of the scores that both have.
  double mean_change = 0;
  double largest_change = 0;
};

struct ModelComparison {
  size_t texts = 0;  // compared: those that did not fail
  size_t tokens = 0;
  std::vector<double> cosines;          // of a text's two vectors   [texts]
  size_t least_similar = 0;             // the index, among all given texts, of the one with the least cosine
  size_t neighbours = 0;                // as many nearest texts are compared; 0: too few texts
  double neighbours_kept = 0;           // the share of the reference's nearest texts that are nearest for the model too
  std::vector<LayerComparison> layers;  // [layers + 1]
  // How many rows 8 bits hardly hold, if the model has 8-bit weights: in each of `layers`, then in those that read the
  // last one. Empty: none.
  std::vector<size_t> coarse_rows;
  std::optional<PairComparison> pairs;
  std::optional<LabelComparison> labels;
};

// Throws Error: kInvalidArgument if the models differ in shape or in their tokens, if labels are given and not read, or
// if no text is left; what fails for a text of the pairs or for the model alone. A text that fails for the reference is
// left out.
BERT_API ModelComparison compare_models(const Model& model, const Model& reference, std::span<const TextItem> texts,
                                        const ComparisonOptions& options = {});

}  // namespace bert
