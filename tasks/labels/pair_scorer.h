// Scores each word, or text, with each label, by two layers over the item's vector, the label's vector, and their
// product. Source: gliner 0.2.29 and gliclass 0.1.21, the scorers of tokens and of texts. Immutable.
#pragma once

#include <string>

#include "tasks/labels/label_layers.h"

namespace bert {

class PairScorer {
 public:
  // Reads scorer.proj_label and scorer.out_mlp, which both libraries have; item_layer: the name of the items' layer.
  // width: of the vectors; outputs: scores of a pair.
  PairScorer(WeightReader& weights, const std::string& prefix, const char* item_layer, size_t width, size_t outputs);

  size_t widest_input() const;

  // Returns the scores' logits. items: [items, width]; labels: [labels, width]; returns [items * labels, outputs]: an
  // item's labels in order, then the next item's.
  Matrix logits(ConstMatrixView items, ConstMatrixView labels, const ProductRunner& products) const;

 private:
  // The inner layer is computed as the sum of its parts for the item, the label, and their product.
  LinearPart of_item_, of_label_;                        // [2 * width, width]
  LinearPart inner_item_, inner_label_, inner_product_;  // [4 * width, width]
  LinearPart output_;                                    // [outputs, 4 * width]
};

}  // namespace bert
