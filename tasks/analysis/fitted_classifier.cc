// Logistic regression on rows of numbers: the checks, predictions and held-out folds around the solver.
#include "tasks/analysis/logistic_regression.h"

#include <algorithm>
#include <functional>
#include <numeric>
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

// Returns the fold of each row: the rows of each label are dealt to the folds in turn.
std::vector<size_t> deal(const LabelledRows& data, size_t folds, size_t fewest, double c) {
  check(data, c);
  if (folds < fewest) {
    refuse_argument(std::to_string(folds) + " folds, expected " + (fewest == 2 ? "two" : "three") + " or more");
  }
  std::vector<size_t> dealt(data.label_count), fold_of;
  for (const uint32_t label : data.labels) fold_of.push_back(dealt[label]++ % folds);
  return fold_of;
}

struct Rows {
  std::vector<float> values;
  std::vector<uint32_t> labels;
};

// Returns the rows of the folds that are `wanted`.
template <typename Wanted>
Rows rows_of(const LabelledRows& data, const std::vector<size_t>& fold_of, Wanted wanted) {
  Rows rows;
  for (size_t row = 0; row < fold_of.size(); ++row) {
    if (!wanted(fold_of[row])) continue;
    const std::span<const float> values = data.rows.subspan(row * data.width, data.width);
    rows.values.insert(rows.values.end(), values.begin(), values.end());
    rows.labels.push_back(data.labels[row]);
  }
  return rows;
}

// Fits the rows that are in neither fold.
LogisticRegression fit_without(const LabelledRows& data, const std::vector<size_t>& fold_of, size_t one, size_t other,
                               double c) {
  const Rows rows = rows_of(data, fold_of, [&](size_t fold) { return fold != one && fold != other; });
  return fit_logistic_regression(
      {.rows = rows.values, .width = data.width, .labels = rows.labels, .label_count = data.label_count}, c);
}

size_t right_of_fold(const LogisticRegression& fitted, const LabelledRows& data, const std::vector<size_t>& fold_of,
                     size_t fold) {
  const Rows rows = rows_of(data, fold_of, [&](size_t of_row) { return of_row == fold; });
  const std::vector<uint32_t> found = predict_labels(fitted, rows.values);
  return static_cast<size_t>(
      std::inner_product(found.begin(), found.end(), rows.labels.begin(), size_t{0}, std::plus<>(), std::equal_to<>()));
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
  const std::vector<size_t> fold_of = deal(data, folds, 2, c);
  size_t right = 0;
  for (size_t fold = 0; fold < folds; ++fold) {
    right += right_of_fold(fit_without(data, fold_of, fold, fold, c), data, fold_of, fold);
  }
  return static_cast<double>(right) / static_cast<double>(fold_of.size());
}

FeatureChoice choose_features(std::span<const LabelledRows> kinds, size_t folds, double c) {
  if (kinds.empty()) refuse_argument("no kind of features, expected one or more");
  const std::vector<size_t> fold_of = deal(kinds.front(), folds, 3, c);
  const double rows = static_cast<double>(fold_of.size());
  FeatureChoice choice;
  // For each fold: the best kind so far on the other folds, with its number of correct rows there and in the fold
  // itself.
  std::vector<size_t> most(folds), right_of_best(folds);
  for (const LabelledRows& data : kinds) {
    check(data, c);
    if (!std::equal(data.labels.begin(), data.labels.end(), kinds.front().labels.begin(), kinds.front().labels.end()))
      refuse_argument("kinds of features of other labels");
    std::vector<size_t> right(folds), right_of_others(folds);
    for (size_t fold = 0; fold < folds; ++fold) {
      right[fold] = right_of_fold(fit_without(data, fold_of, fold, fold, c), data, fold_of, fold);
      for (size_t other = fold + 1; other < folds; ++other) {
        const LogisticRegression fitted = fit_without(data, fold_of, fold, other, c);
        right_of_others[fold] += right_of_fold(fitted, data, fold_of, other);
        right_of_others[other] += right_of_fold(fitted, data, fold_of, fold);
      }
    }
    for (size_t fold = 0; fold < folds; ++fold) {
      if (right_of_others[fold] < most[fold]) continue;
      most[fold] = right_of_others[fold];
      right_of_best[fold] = right[fold];
    }
    choice.accuracies.push_back(static_cast<double>(std::reduce(right.begin(), right.end())) / rows);
    if (choice.accuracies.back() >= choice.accuracies[choice.best]) choice.best = choice.accuracies.size() - 1;
  }
  choice.accuracy = static_cast<double>(std::reduce(right_of_best.begin(), right_of_best.end())) / rows;
  return choice;
}

}  // namespace bert
