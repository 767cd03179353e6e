// Dense layers after an encoder, as the models that read labels have them.
#pragma once

#include <span>
#include <string>

#include "engine/checkpoint/weight_reader.h"
#include "engine/layers/lstm.h"
#include "engine/layers/norm.h"
#include "engine/layers/own_products.h"

namespace bert {

// name.weight [out, in] and name.bias [out].
LinearPart read_dense(WeightReader& weights, const std::string& name, size_t out, size_t in);

// name.weight and name.bias [width], with the eps of all norms after the encoder.
Norm read_norm(WeightReader& weights, const std::string& name, size_t width);

// y = second(activation(first(x))).
struct TwoLayers {
  LinearPart first;   // [inner, in]
  LinearPart second;  // [out, inner]
  Activation activation = Activation::kRelu;

  size_t widest_input() const;
  // x: [rows, in]; the result: [rows, out].
  Matrix forward(ConstMatrixView x, const OwnProducts& products) const;
};

// x: [rows, in]; the result: [rows, out].
Matrix apply(const LinearPart& layer, ConstMatrixView x, const OwnProducts& products);

// y += x, row by row: the residual of a block. Both of one shape.
void add_rows(MatrixView y, ConstMatrixView x);

// These rows of a matrix, one after the other.
Matrix rows_of(ConstMatrixView x, std::span<const size_t> rows);

// The layer of columns [begin, begin + count) of a matrix [rows, cols], which `weights` keeps.
LinearPart columns_of(std::span<const float> matrix, size_t cols, size_t begin, size_t count, const float* bias,
                      WeightReader& weights);

// prefix + "weight_ih_l0", …: a bidirectional recurrent layer of as many layers, whose outputs are as wide as its
// inputs.
BidirectionalLstm read_lstm(WeightReader& weights, const std::string& prefix, size_t width, size_t layers);

}  // namespace bert
