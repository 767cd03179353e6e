// The evaluation of a classifier's labels. Used by one thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "program/cli/input/input.h"
#include "program/common/table.h"

namespace bert::cli {

// Counts how often a classifier finds the expected label: accuracy; precision, recall and F1 of each label; confusions.
class Evaluation {
 public:
  explicit Evaluation(std::vector<std::string> labels);

  // Adds a text. Throws InputError, which names `source`, for an expected label that the classifier does not have.
  void add(const std::string& expected, const std::string& found, const ItemSource& source);

  std::string text(const common::TextStyle& style) const;
  // Returns an object: "texts", "right", "accuracy", "macro_f1"; "labels": [{"label", "texts", "found", "precision",
  // "recall", "f1"}]; "confusions": a row for each expected label, a number for each found label.
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
  double macro_f1() const;  // mean of F1 over the labels

  std::vector<std::string> labels_;
  std::vector<std::vector<size_t>> counts_;  // [expected][found]
};

}  // namespace bert::cli
