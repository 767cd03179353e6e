// The layers that GLiClass adds to an encoder: projections of the text's vector and of the labels' vectors, and their
// scores. The layers' sizes and names are those of gliclass 0.1.21. Immutable.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tasks/labels/gliclass/gliclass_settings.h"
#include "tasks/labels/pair_scorer.h"

namespace bert {

class ClassLayers {
 public:
  // Reads the tensors beside the encoders' tensors.
  ClassLayers(const ClassSettings& settings, WeightReader& weights);

  size_t widest_input() const { return widest_input_; }  // for ProductRunner

  // Pools the vectors of texts from their tokens' vectors. tokens: [rows, encoder's width]; row_starts: [texts + 1],
  // the first row of each text;  zeros: [texts], how many additional rows of zeros are pooled for each text;  returns
  // [texts, width].
  Matrix texts(ConstMatrixView tokens, std::span<const size_t> row_starts, std::span<const size_t> zeros,
               const ProductRunner& products) const;
  // Projects x, [labels, encoder's width], to vectors for the scores.
  Matrix labels(ConstMatrixView x, const ProductRunner& products) const;
  // Projects vectors of the labels' own encoder: [labels, its width].
  Matrix encoded_labels(ConstMatrixView x, const ProductRunner& products) const;

  // text: one vector, [1, width];  labels: [labels, width];  returns [labels].
  std::vector<float> logits(ConstMatrixView text, ConstMatrixView labels, const ProductRunner& products) const;

 private:
  void read_scorer(WeightReader& weights);
  Matrix several_layers(Matrix x, const ProductRunner& products) const;
  void finish(MatrixView vectors) const;

  ClassForm form_;
  ClassScorer scorer_;
  ClassPooling pooling_;
  bool normalizes_;
  size_t width_;  // the encoder's
  size_t widest_input_ = 0;
  TwoLayers text_{}, label_{};
  std::optional<TwoLayers> encoded_label_;  // applied before label_
  BidirectionalLstm lstm_;
  float scale_ = 1;                  // factor of the logits
  std::optional<PairScorer> pairs_;  // for kWeightedDot
  std::vector<LinearPart> inner_;    // for kTwoVectors: three layers that compute a logit
};

}  // namespace bert
