// A classifier on frozen features: multinomial logistic regression, which alone is trained, and a directory of the
// model with it as its head. Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bert/export.h"
#include "bert/model.h"

namespace bert {

// Scores of a row x: weights · x + intercepts, one for each vector; the label with the largest has the highest
// probability (softmax). Two labels have one vector, for the second one; the first one's score is 0.
struct LogisticRegression {
  size_t labels = 0;
  size_t width = 0;                // of a row
  std::vector<double> weights;     // [labels, or 1 of two, width]
  std::vector<double> intercepts;  // [labels, or 1 of two]: of more than two labels their sum is 0
  size_t iterations = 0;           // Newton steps until the gradient was 0, except for rounding
};

// Rows of numbers, each with the index of its label.
struct LabelledRows {
  std::span<const float> rows;  // [rows, width]
  size_t width = 0;
  std::span<const uint32_t> labels;  // [rows], below label_count
  size_t label_count = 0;
};

// The minimum of c · sum of the rows' losses + |weights|² / 2: as scikit-learn's LogisticRegression(C=c), with
// intercepts that are not penalised. In float64, every sum in one order: the same bits on every CPU. Throws
// Error(kInvalidArgument) for fewer than two labels, a label without rows, values that are not whole rows, and c that
// is not above 0; Error(kNonFinite) for a NaN or an infinity.
BERT_API LogisticRegression fit_logistic_regression(const LabelledRows& data, double c = 1);

// The index of each row's most probable label, of equal ones the smaller.   [rows]
BERT_API std::vector<uint32_t> predict_labels(const LogisticRegression& regression, std::span<const float> rows);

// The share of the rows whose label is predicted by a regression on the other folds. The rows of each label are dealt
// to the folds in turn. Throws as fit_logistic_regression, also if a fold leaves a label without rows.
BERT_API double held_out_accuracy(const LabelledRows& data, size_t folds, double c = 1);

// The best of several kinds of features.
struct FeatureChoice {
  std::vector<double> accuracies;  // held_out_accuracy of each kind
  size_t best = 0;                 // the kind with the highest; of equal ones the last
  // By nested folds: each fold is predicted by the kind that is best on the other folds, so no row takes part in the
  // choice of the kind that predicts it. The best of `accuracies` rises with the number of kinds; this does not.
  double accuracy = 0;
};

// Among kinds of features of the same rows with the same labels: one or more. Throws as held_out_accuracy, also for
// kinds whose labels differ, and for fewer than three folds: two at a time are left out.
BERT_API FeatureChoice choose_features(std::span<const LabelledRows> kinds, size_t folds, double c = 1);

// A classifier of texts on a model's frozen features.
struct FittedClassifier {
  LogisticRegression regression;
  std::vector<std::string> labels;          // the regression's, by index
  std::optional<PoolingMode> pooling = {};  // its rows: pooled_layer of the last layer; nullopt: the pooled output
};

// The vector of a text after `layer` layers, 0: the embeddings. Its tokens' vectors, pooled as sentence-transformers'
// module Pooling does.   [hidden]   Throws Error(kInvalidArgument) for kPooler and for hidden states that are not
// there.
BERT_API std::vector<float> pooled_layer(const EncodedSequence& encoded, size_t layer, PoolingMode mode);

// Throws the Error of write_classifier if the model cannot have a classifier on these features: a static model, 8-bit
// weights, adapters; without a pooling also a model without a pooled output, or of a family whose classifier is not one
// layer on it.
BERT_API void check_classifier(const Model& model, const std::optional<PoolingMode>& pooling = {});

// The model with this classifier as a directory of config.json, which has the labels, the tokenizer and the encoder's
// weights. Without a pooling it is its family's …ForSequenceClassification; with one it has the modules of
// sentence-transformers' CrossEncoder: Transformer, Pooling, and a Dense whose outputs are the labels' logits.
// LoadOptions::layers: the model of the first so many layers; only their tensors are written. `name` as in Model::load,
// or empty for the built-in model; `directory` must not exist, and appears when it is complete. Returns the files of
// the source that are not in the result. Throws Error: what Model::load and check_classifier throw; for a regression of
// another width or number of labels; for a directory that cannot be written.
BERT_API std::vector<std::string> write_classifier(const std::string& name, const std::filesystem::path& directory,
                                                   const FittedClassifier& classifier, const LoadOptions& options = {});

}  // namespace bert
