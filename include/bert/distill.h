// Makes a static model of an encoder: a table with a vector for each token, which needs no encoder to be read.
// Source of the method: Tulkens and van Dongen, Model2Vec (2024); the weights: Arora et al., A Simple but Tough-to-Beat
// Baseline for Sentence Embeddings (2017).
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>

#include "bert/export.h"
#include "bert/model.h"

namespace bert {

struct DistillOptions {
  // Numbers of a vector, its principal components: at most the model's hidden size. Default: 256, or the hidden size.
  std::optional<size_t> dimensions = {};
  // A token's vector is multiplied by c / (c + its probability), a probability by Zipf's law, since vocabularies are in
  // the order of frequency: a smaller c lowers frequent tokens more. Above 0.
  double sif_coefficient = 1e-4;
  // Called after each pass with the number of tokens that are done, and of all. Returning false cancels.
  std::function<bool(size_t done, size_t all)> progress = {};
};

struct DistilledModel {
  size_t tokens = 0;      // that have a vector: all but special and unused ones
  size_t vocabulary = 0;  // rows of the table
  size_t dimensions = 0;
  size_t hidden_size = 0;          // of the encoder
  double explained_variance = 0;   // the share that the components keep
  bool has_tokenizer_json = true;  // false: model2vec does not read the result, this library does
};

// Writes a directory in model2vec's form: config.json, the tokenizer's files, and the table [vocabulary, dimensions] in
// float16. Each token's vector is the mean of the encoder's outputs for that token between the special ones. `model`
// has a directory; `directory` must not exist, and appears when it is complete. Throws Error: kInvalidArgument for a
// static or the built-in model, for too many dimensions, or if there are not more tokens than dimensions; kIo;
// kCancelled.
BERT_API DistilledModel distill(const Model& model, const std::filesystem::path& directory,
                                const DistillOptions& options = {});

}  // namespace bert
