// Several kinds of vectors of the same texts by one forward pass, for a model that makes them, such as BGE-M3, and one
// score of them all.
//
//   const bert::VectorKinds kinds{.dense = bert::EmbedOptions{}, .sparse = bert::SparseOptions{}, .tokens = true};
//   const std::vector<bert::TextVectors> vectors = bert::embed(model, texts, kinds);
//   double score = bert::hybrid_score(model, vectors[0], vectors[1], {.dense = 0.4, .sparse = 0.2, .tokens = 0.4});
//
// Errors are bert::Error. Functions are safe to call from many threads. For many texts: VectorKinds as the task of a
// TextPipeline (bert/text_pipeline.h).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bert/export.h"
#include "bert/model.h"
#include "bert/token_vectors.h"

namespace bert {

// The kinds to make; the others stay empty. All are of the same tokens: `dense` and `sparse` must have the same prompt,
// and the token vectors of a model that reads queries and documents differently (ColBERT's markers, an expanded query)
// cannot be made together with others.
struct VectorKinds {
  std::optional<EmbedOptions> dense = {};
  std::optional<SparseOptions> sparse = {};
  bool tokens = false;
};

struct TextVectors {
  std::vector<float> dense = {};
  SparseVector sparse = {};
  TokenVectors tokens = {};
};

// What is put before each text. Throws the error that prevents one of the kinds, Error(kInvalidArgument) for none and
// for prompts that differ, and Error(kUnsupported) for token vectors of texts of their own.
BERT_API std::string prompt(const Model& model, const VectorKinds& kinds);

// One for each sequence. Throws as Model::embed does.
BERT_API std::vector<TextVectors> embed(const Model& model, std::span<const TokenSequence> batch,
                                        const VectorKinds& kinds);

// Truncated to the model's max_length. Throws the error of the first text that has one.
BERT_API std::vector<TextVectors> embed(const Model& model, std::span<const std::string_view> texts,
                                        const VectorKinds& kinds, const ProgressCallback& progress = {});

// How much each kind counts in a score; 0: not at all.
struct KindWeights {
  double dense = 1;
  double sparse = 1;
  double tokens = 1;
};

// The mean of the kinds' scores by these weights: of dense vectors the model's similarity, of sparse ones
// SparseSettings::similarity, of tokens MaxSim, divided by the number of the query's vectors where the model's files
// say so. Source: FlagEmbedding, M3Embedder.compute_score. Throws Error(kInvalidArgument) for a negative weight, for
// none above 0, and for a kind with a weight whose vectors are not there.
BERT_API double hybrid_score(const Model& model, const TextVectors& query, const TextVectors& document,
                             const KindWeights& weights = {});

}  // namespace bert
