#include "tasks/labels/boundaries/boundary_states.h"

#include <algorithm>
#include <string>

namespace bert {

BoundaryStates::BoundaryStates(WeightReader& weights, const BoundarySettings& settings, size_t width)
    : widest_input_(std::max({width, 2 * settings.width, settings.refinement_width})) {
  const std::string all = "boundary_head.boundary_encoder.";
  const size_t own = settings.width;
  before_ = weights.vector(all + "bos_state", width, WeightRole::kHead);
  after_ = weights.vector(all + "eos_state", width, WeightRole::kHead);
  left_ = read_dense(weights, all + "left_projection", own, width);
  right_ = read_dense(weights, all + "right_projection", own, width);
  output_ = read_dense(weights, all + "output_projection", own, 2 * own);
  norm_ = read_norm(weights, all + "layer_norm", own);
  for (size_t i = 0; i < settings.attention_layers; ++i) {
    const std::string name = all + "attention_blocks." + std::to_string(i) + ".";
    attention_.push_back({read_norm(weights, name + "norm", own),
                          {.qkv = read_dense(weights, name + "qkv_projection", 3 * own, own),
                           .output = read_dense(weights, name + "output_projection", own, own),
                           .heads = settings.attention_heads,
                           .window = settings.attention_window == 0 ? kNoWindow : settings.attention_window}});
  }
  for (size_t i = 0; i < settings.refinement_layers; ++i) {
    const std::string name = all + "refinement_blocks." + std::to_string(i) + ".";
    const size_t inner = settings.refinement_width;
    refinements_.push_back({read_norm(weights, name + "norm", own),
                            read_dense(weights, name + "input_projection", 2 * inner, own),
                            read_dense(weights, name + "output_projection", own, inner)});
  }
}

Matrix BoundaryStates::forward(ConstMatrixView words, const ProductRunner& products) const {
  const size_t rows = words.rows + 1;
  // The vectors to the left and to the right of each boundary.
  Matrix left(rows, words.cols), right(rows, words.cols);
  std::copy(before_.begin(), before_.end(), left.view().row(0));
  std::copy(after_.begin(), after_.end(), right.view().row(words.rows));
  for (size_t word = 0; word < words.rows; ++word) {
    std::copy_n(words.row(word), words.cols, left.view().row(word + 1));
    std::copy_n(words.row(word), words.cols, right.view().row(word));
  }
  const size_t own = output_.weight.rows;
  Matrix both(rows, 2 * own);
  const auto columns = [&](size_t begin) { return MatrixView{both.view().data + begin, rows, own, both.cols()}; };
  products.multiply({.x = left.view(), .parts = {&left_, 1}, .y = columns(0)});
  products.multiply({.x = right.view(), .parts = {&right_, 1}, .y = columns(own)});
  Matrix states = apply(output_, both.view(), products);
  const MatrixView view = states.view();
  norm_.rows(view, view, products.kernels());

  for (const AttentionBlock& block : attention_) {
    Matrix normed(rows, own);
    block.norm.rows(view, normed.view(), products.kernels());
    add_rows(view, block.attention.forward(normed.view(), products).view());
  }
  for (const Refinement& block : refinements_) refine(block, view, products);
  return states;
}

void BoundaryStates::refine(const Refinement& block, MatrixView states, const ProductRunner& products) const {
  Matrix normed(states.rows, states.cols);
  block.norm.rows(states, normed.view(), products.kernels());
  const Matrix inner = apply(block.input, normed.view(), products);
  const size_t width = inner.cols() / 2;
  Matrix gated(states.rows, width), sums(states.rows, states.cols);
  products.kernels().gate({.x = inner.view().data + width,
                           .gate = inner.view().data,
                           .stride = inner.cols(),
                           .y = gated.view().data,
                           .y_stride = width,
                           .rows = states.rows,
                           .cols = width,
                           .activation = Activation::kSilu});
  products.multiply({.x = gated.view(), .parts = {&block.output, 1}, .residual = states, .y = sums.view()});
  std::copy_n(sums.view().data, states.rows * states.cols, states.data);
}

}  // namespace bert
