// Makes a static model from an encoder: a table with one vector per token, which is used without the encoder.
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
  // Numbers per vector, which are its first principal components: at most the model's hidden size. Default: 256, or the
  // hidden size if that is smaller.
  std::optional<size_t> dimensions = {};
  // A token's vector is multiplied by c / (c + the token's probability). The probability follows Zipf's law, since
  // vocabularies are sorted by frequency. A smaller c reduces frequent tokens more. Above 0.
  double sif_coefficient = 1e-4;
  // Called after each pass with the number of finished tokens and of all tokens. Returning false cancels the call.
  std::function<bool(size_t done, size_t all)> progress = {};
};

struct DistilledModel {
  size_t tokens = 0;      // tokens that have a vector: all but special and unused ones
  size_t vocabulary = 0;  // rows of the table
  size_t dimensions = 0;
  size_t hidden_size = 0;          // the encoder's
  double explained_variance = 0;   // share of the variance that the components keep
  bool has_tokenizer_json = true;  // false: this library can read the result, model2vec cannot
};

// Writes a directory in model2vec's form: config.json, the tokenizer's files, and the table [vocabulary, dimensions] in
// float16. A token's vector is the mean of the encoder's outputs for the token between special tokens. `model` must
// come from a directory. `directory` must not exist, and appears when it is complete. Throws Error: kInvalidArgument
// for a static model or the built-in model, for too many dimensions, or if there are not more tokens than dimensions;
// kIo; kCancelled.
BERT_API DistilledModel distill(const Model& model, const std::filesystem::path& directory,
                                const DistillOptions& options = {});

}  // namespace bert
