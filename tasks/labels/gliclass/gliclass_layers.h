// What GLiClass adds to an encoder: projections of the text's vector and of the labels' vectors, and their scores.
// The layers' sizes and names are those of gliclass 0.1.21. Immutable.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tasks/labels/gliclass/gliclass_settings.h"
#include "tasks/labels/pair_scorer.h"

namespace bert {

class ClassLayers {
 public:
  // Reads the tensors beside those of the encoders.
  ClassLayers(const ClassSettings& settings, WeightReader& weights);

  size_t widest_input() const { return widest_input_; }  // for OwnProducts

  // The vectors of texts from those of their tokens. tokens: [rows, encoder's width]; row_starts: of each text,
  // [texts + 1];  zeros: of each text, so many further rows of zeros are pooled, [texts];  the result: [texts, width].
  Matrix texts(ConstMatrixView tokens, std::span<const size_t> row_starts, std::span<const size_t> zeros,
               const OwnProducts& products) const;
  // x: [labels, encoder's width] to vectors that have scores.
  Matrix labels(ConstMatrixView x, const OwnProducts& products) const;
  // The same from their own encoder: [labels, its width].
  Matrix encoded_labels(ConstMatrixView x, const OwnProducts& products) const;

  // text: one vector, [1, width];  labels: [labels, width];  the result: [labels].
  std::vector<float> logits(ConstMatrixView text, ConstMatrixView labels, const OwnProducts& products) const;

 private:
  void read_scorer(WeightReader& weights);
  Matrix several_layers(Matrix x, const OwnProducts& products) const;
  void finish(MatrixView vectors) const;

  ClassForm form_;
  ClassScorer scorer_;
  ClassPooling pooling_;
  bool normalizes_;
  size_t width_;  // of the encoder
  size_t widest_input_ = 0;
  TwoLayers text_{}, label_{};
  std::optional<TwoLayers> encoded_label_;  // before label_
  BidirectionalLstm lstm_;
  float scale_ = 1;                  // of the logits
  std::optional<PairScorer> pairs_;  // of kWeightedDot
  std::vector<LinearPart> inner_;    // of kTwoVectors: three layers to a logit
};

}  // namespace bert
