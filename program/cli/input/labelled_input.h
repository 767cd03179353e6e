// Texts with labels, and what a classifier found against them. Used by one thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "program/cli/input/input.h"
#include "program/common/table.h"

namespace bert::cli {

// Keeps the label of each text.
class LabelledInput : public InputOver {
 public:
  explicit LabelledInput(Input& input) : InputOver(input) {}

  State next(Item& item, Wait wait) override;
  const std::string& label(size_t index) const { return labels_[index]; }

 private:
  std::vector<std::string> labels_;
};

// The order of labels: integers by their value, other labels after them by their bytes.
bool label_comes_before(const std::string& one, const std::string& other);

// How often a classifier finds the expected label: accuracy, precision, recall and F1 of each label, confusions.
class Evaluation {
 public:
  explicit Evaluation(std::vector<std::string> labels);

  // Throws InputError, which names `source`, for an expected label that is none of the classifier's.
  void add(const std::string& expected, const std::string& found, const ItemSource& source);

  std::string text(const common::TextStyle& style) const;
  // "texts", "right", "accuracy", "macro_f1"; "labels": [{"label", "texts", "found", "precision", "recall", "f1"}];
  // "confusions": a row for each expected label, a number for each found one.
  std::string json() const;

 private:
  struct Scores {
    size_t texts = 0, found = 0;
    double precision = 0, recall = 0, f1 = 0;
  };

  Scores scores(size_t label) const;
  size_t texts() const;
  size_t right() const;
  double accuracy() const;
  double macro_f1() const;  // the mean over the labels

  std::vector<std::string> labels_;
  std::vector<std::vector<size_t>> counts_;  // [expected][found]
};

}  // namespace bert::cli
