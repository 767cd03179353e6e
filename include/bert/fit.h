// Trains a classifier on frozen features: only a multinomial logistic regression is trained. A model with it as its
// head can be written as a directory. Stateless; safe to call from many threads.
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

// The score of a label for a row x is weights · x + intercept; the label with the largest score has the highest
// probability (softmax). For two labels there is one vector, for the second label; the first label's score is 0.
struct LogisticRegression {
  size_t labels = 0;
  size_t width = 0;                // numbers of a row
  std::vector<double> weights;     // [labels, width]; [1, width] for two labels
  std::vector<double> intercepts;  // [labels]; [1] for two labels; those of more than two labels add up to 0
  size_t iterations = 0;           // Newton steps until the gradient was 0 up to rounding
};

// Rows of numbers, each with the index of its label.
struct LabelledRows {
  std::span<const float> rows;  // [rows, width]
  size_t width = 0;
  std::span<const uint32_t> labels;  // [rows], below label_count
  size_t label_count = 0;
};

// Returns the minimum of c · sum of the rows' losses + |weights|² / 2, as scikit-learn's LogisticRegression(C=c), which
// does not penalise intercepts. Computed in float64, every sum in a fixed order: the same bits on every CPU. Throws
// Error(kInvalidArgument) for fewer than two labels, a label without rows, values that are not whole rows, and a c that
// is not above 0; Error(kNonFinite) for a NaN or an infinity.
BERT_API LogisticRegression fit_logistic_regression(const LabelledRows& data, double c = 1);

// Returns the index of each row's most probable label, of equal ones the smaller.   [rows]
BERT_API std::vector<uint32_t> predict_labels(const LogisticRegression& regression, std::span<const float> rows);

// Cross-validation: returns the share of rows whose label is predicted by a regression fitted on the other folds. The
// rows of each label are dealt to the folds in turn. Throws as fit_logistic_regression, also if a fold leaves a label
// without rows.
BERT_API double held_out_accuracy(const LabelledRows& data, size_t folds, double c = 1);

// The best of several kinds of features, and its accuracy.
struct FeatureChoice {
  std::vector<double> accuracies;  // held_out_accuracy of each kind
  size_t best = 0;                 // index of the kind with the highest accuracy; of equal ones the last
  // From nested folds: each fold is predicted by the kind that is best on the other folds, so no row helps to choose
  // the kind that predicts it. The maximum of `accuracies` is biased upwards by the number of kinds; this number is
  // not.
  double accuracy = 0;
};

// Chooses among one or more kinds of features, all for the same rows with the same labels. Throws as held_out_accuracy,
// also for kinds whose labels differ, and for fewer than three folds, since two folds at a time are left out.
BERT_API FeatureChoice choose_features(std::span<const LabelledRows> kinds, size_t folds, double c = 1);

// A classifier of texts on a model's frozen features.
struct FittedClassifier {
  LogisticRegression regression;
  std::vector<std::string> labels;          // the regression's labels, by index
  std::optional<PoolingMode> pooling = {};  // its rows are pooled_layer of the last layer with this mode; nullopt: the
                                            // pooled output
};

// Returns the vector of a text after `layer` layers (0: the embeddings): its tokens' vectors, pooled as by
// sentence-transformers' module Pooling.   [hidden]   Throws Error(kInvalidArgument) for kPooler and for hidden states
// that were not requested.
BERT_API std::vector<float> pooled_layer(const EncodedSequence& encoded, size_t layer, PoolingMode mode);

// Throws write_classifier's Error if the model cannot have a classifier on these features: for a static model, 8-bit
// weights or adapters; without a pooling also for a model without a pooled output, or of a family whose classifier is
// not one layer on this output.
BERT_API void check_classifier(const Model& model, const std::optional<PoolingMode>& pooling = {});

// Writes the model with this classifier as a directory: config.json, which has the labels, the tokenizer's files and
// the encoder's weights. Without a pooling the result is the family's …ForSequenceClassification; with a pooling it has
// the modules of sentence-transformers' CrossEncoder: Transformer, Pooling, and a Dense whose outputs are the labels'
// logits. With LoadOptions::layers only the tensors of that many first layers are written. `name` as in Model::load, or
// empty for the built-in model; `directory` must not exist, and appears when it is complete. Returns the source's files
// that are not in the result. Throws Error: what Model::load and check_classifier throw; for a regression of another
// width or number of labels; for a directory that cannot be written.
BERT_API std::vector<std::string> write_classifier(const std::string& name, const std::filesystem::path& directory,
                                                   const FittedClassifier& classifier, const LoadOptions& options = {});

}  // namespace bert
