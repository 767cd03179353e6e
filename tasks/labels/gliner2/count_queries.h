// Computes the queries of GLiNER2's labels: a recurrent unit counts the records of a text, the first of which are the
// entities, and a layer after it makes a label's query. Source: gliner2 2.1.0, CountLSTM, CountLSTMoE, CountLSTMv2.
// Immutable.
#pragma once

#include <variant>
#include <vector>

#include "engine/layers/norm.h"
#include "engine/layers/recurrent.h"
#include "engine/layers/row_attention.h"
#include "tasks/labels/gliner2/gliner2_settings.h"
#include "tasks/labels/label_layers.h"

namespace bert {

class CountQueries {
 public:
  // Reads the tensors of count_embed. width: of the labels' vectors.
  CountQueries(WeightReader& weights, CountLayer layer, size_t width);

  size_t widest_input() const { return widest_input_; }  // for ProductRunner

  // labels: of one text, [labels, width]; returns [labels, width].
  Matrix forward(ConstMatrixView labels, const ProductRunner& products) const;

 private:
  // Layers over the concatenated state and label.
  struct Projector {
    TwoLayers layers;
  };
  // A weighted sum of the experts' outputs for the state.
  struct Experts {
    TwoLayers shares;
    std::vector<TwoLayers> experts;
  };
  // Encoder layers over the labels of a text, and layers over their concatenated output and input.
  struct Transformer {
    struct Layer {
      RowAttention attention;
      Norm norm_after_attention;
      TwoLayers feed_forward;
      Norm norm_after_feed_forward;
    };
    LinearPart input;
    std::vector<Layer> layers = {};
    TwoLayers inner = {};
    LinearPart output = {};
  };

  Projector read_projector(WeightReader& weights) const;
  Experts read_experts(WeightReader& weights) const;
  Transformer read_transformer(WeightReader& weights) const;
  static Matrix apply_to(const Projector& layer, ConstMatrixView states, ConstMatrixView labels,
                         const ProductRunner& products);
  static Matrix apply_to(const Experts& layer, ConstMatrixView states, ConstMatrixView labels,
                         const ProductRunner& products);
  static Matrix apply_to(const Transformer& layer, ConstMatrixView states, ConstMatrixView labels,
                         const ProductRunner& products);

  size_t width_;
  size_t widest_input_ = 0;
  Gru gru_;
  ConstMatrixView first_count_;  // input of the unit: the vector of the first record, [1, width]
  std::variant<Projector, Experts, Transformer> layer_;
};

}  // namespace bert
