// Scores how well each boundary of a text begins and ends spans with each label, and how well each word is inside one.
// Source: gliner2 2.1.0, BoundaryQueryHead. Immutable.
#pragma once

#include <vector>

#include "tasks/labels/boundaries/span_content.h"
#include "tasks/labels/label_layers.h"

namespace bert {

// The scores of one text, which has one more boundary than words.
struct BoundaryScores {
  Matrix starts;                             // [labels, boundaries]
  Matrix ends;                               // [labels, boundaries]
  std::vector<std::vector<double>> insides;  // [labels][boundaries]: prefix sums of the words' scores

  double start(size_t label, const BoundaryPair& pair) const {
    return static_cast<double>(starts.view().row(label)[pair.start]);
  }
  double end(size_t label, const BoundaryPair& pair) const {
    return static_cast<double>(ends.view().row(label)[pair.end]);
  }
  // Returns the sum of the words' scores, divided by the square root of their number.
  double inside(size_t label, const BoundaryPair& pair) const;
};

class BoundaryScorer {
 public:
  BoundaryScorer(WeightReader& weights, size_t boundary_width, size_t width);

  // states: [words + 1, boundary_width]; words: [words, width]; labels: [labels, width].
  BoundaryScores forward(ConstMatrixView states, ConstMatrixView words, ConstMatrixView labels,
                         const ProductRunner& products) const;

 private:
  // Scores an item with a label by the product of their vectors, divided by the square root of the width.
  struct Head {
    LinearPart item, label;
  };
  static Matrix scores(const Head& head, ConstMatrixView items, ConstMatrixView labels, const ProductRunner& products);

  Head start_, end_, inside_;
};

// Returns the sum of a[i] * b[i], computed in float64.
double wide_dot(const float* a, const float* b, size_t count);

}  // namespace bert
