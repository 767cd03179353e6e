// Dense layers after an encoder, for the models that read labels.
#pragma once

#include <span>
#include <string>

#include "engine/checkpoint/weight_reader.h"
#include "engine/layers/norm.h"
#include "engine/layers/product_runner.h"
#include "engine/layers/recurrent.h"

namespace bert {

// Reads name.weight [out, in] and name.bias [out].
LinearPart read_dense(WeightReader& weights, const std::string& name, size_t out, size_t in);

// Reads name.weight and name.bias [width]; the eps is that of all norms after the encoder.
Norm read_norm(WeightReader& weights, const std::string& name, size_t width);

// y = second(activation(first(x))).
struct TwoLayers {
  LinearPart first;   // [inner, in]
  LinearPart second;  // [out, inner]
  Activation activation = Activation::kRelu;

  size_t widest_input() const;
  // x: [rows, in]; returns [rows, out].
  Matrix forward(ConstMatrixView x, const ProductRunner& products) const;
};

// Applies a layer.   x: [rows, in]; returns [rows, out].
Matrix apply(const LinearPart& layer, ConstMatrixView x, const ProductRunner& products);

// Computes y += x, the residual of a block. Both have one shape.
void add_rows(MatrixView y, ConstMatrixView x);

// Returns these rows of a matrix, in this order.
Matrix rows_of(ConstMatrixView x, std::span<const size_t> rows);

// Returns a layer of the columns [begin, begin + count) of a matrix [rows, cols]; `weights` stores it.
LinearPart columns_of(std::span<const float> matrix, size_t cols, size_t begin, size_t count, const float* bias,
                      WeightReader& weights);

// Reads prefix + "weight_ih_l0", …: a bidirectional recurrent network of this many layers, whose outputs are as wide as
// its inputs.
BidirectionalLstm read_lstm(WeightReader& weights, const std::string& prefix, size_t width, size_t layers);

}  // namespace bert
