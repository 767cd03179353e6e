// Logistic regression on rows of numbers: the checks, predictions and held-out folds around the solver.
#include "analysis/logistic_regression.h"

#include <string>

#include "bert/error.h"

namespace bert {
namespace {

[[noreturn]] void refuse_argument(const std::string& what) { throw Error(ErrorCode::kInvalidArgument, what); }

void check(const LabelledRows& data, double c) {
  if (!(c > 0)) refuse_argument("c " + std::to_string(c) + ", expected a number above 0");
  if (data.width == 0 || data.rows.size() != data.labels.size() * data.width) {
    refuse_argument(std::to_string(data.rows.size()) + " numbers for " + std::to_string(data.labels.size()) +
                    " labels, expected rows of " + std::to_string(data.width));
  }
  if (data.label_count < 2) refuse_argument("1 label or none, expected two or more to tell apart");
  std::vector<size_t> counts(data.label_count);
  for (const uint32_t label : data.labels) {
    if (label >= data.label_count) {
      refuse_argument("label " + std::to_string(label) + ", expected one below " + std::to_string(data.label_count));
    }
    ++counts[label];
  }
  for (size_t label = 0; label < counts.size(); ++label) {
    if (counts[label] == 0) refuse_argument("no row of label " + std::to_string(label) + ", expected one or more");
  }
}

}  // namespace

LogisticRegression fit_logistic_regression(const LabelledRows& data, double c) {
  check(data, c);
  return analysis::minimize_logistic_loss(data, c);
}

std::vector<uint32_t> predict_labels(const LogisticRegression& regression, std::span<const float> rows) {
  const size_t vectors = regression.intercepts.size(), width = regression.width;
  if (width == 0 || rows.size() % width != 0) {
    refuse_argument(std::to_string(rows.size()) + " numbers, expected rows of " + std::to_string(width));
  }
  std::vector<uint32_t> labels;
  for (size_t row = 0; row < rows.size() / width; ++row) {
    double highest = 0;
    uint32_t label = 0;
    for (size_t v = 0; v < vectors; ++v) {
      double score = regression.intercepts[v];
      for (size_t i = 0; i < width; ++i) {
        score += regression.weights[v * width + i] * static_cast<double>(rows[row * width + i]);
      }
      if ((v == 0 && vectors > 1) || score > highest) {
        highest = score;
        label = static_cast<uint32_t>(vectors == 1 ? 1 : v);
      }
    }
    labels.push_back(label);
  }
  return labels;
}

double held_out_accuracy(const LabelledRows& data, size_t folds, double c) {
  check(data, c);
  if (folds < 2) refuse_argument(std::to_string(folds) + " folds, expected two or more");
  std::vector<size_t> dealt(data.label_count);
  std::vector<size_t> fold_of;
  for (const uint32_t label : data.labels) fold_of.push_back(dealt[label]++ % folds);
  size_t right = 0;
  for (size_t fold = 0; fold < folds; ++fold) {
    std::vector<float> rows, held_out;
    std::vector<uint32_t> labels, expected;
    for (size_t row = 0; row < fold_of.size(); ++row) {
      const std::span<const float> values = data.rows.subspan(row * data.width, data.width);
      std::vector<float>& to = fold_of[row] == fold ? held_out : rows;
      to.insert(to.end(), values.begin(), values.end());
      (fold_of[row] == fold ? expected : labels).push_back(data.labels[row]);
    }
    const LogisticRegression fitted = fit_logistic_regression(
        {.rows = rows, .width = data.width, .labels = labels, .label_count = data.label_count}, c);
    const std::vector<uint32_t> found = predict_labels(fitted, held_out);
    for (size_t i = 0; i < found.size(); ++i) right += found[i] == expected[i] ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(fold_of.size());
}

}  // namespace bert
