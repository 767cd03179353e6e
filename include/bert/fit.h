// A classifier on frozen features: multinomial logistic regression, which alone is trained, and a directory of the
// model with it as its head. Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
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

// The model with this regression on its pooled output, as a directory of its family's …ForSequenceClassification, with
// config.json, tokenizer and the encoder's weights. `name` as in Model::load; `directory` must not exist, and appears
// when it is complete. Returns the files of the source that are not in the result. Throws Error: what Model::load
// throws; for a model without a pooled output or with 8-bit weights; for a family whose classifier is not one layer on
// the pooled output; for a directory that cannot be written.
BERT_API std::vector<std::string> write_classifier(const std::string& name, const std::filesystem::path& directory,
                                                   const LogisticRegression& regression,
                                                   const std::vector<std::string>& labels,
                                                   const LoadOptions& options = {});

}  // namespace bert
