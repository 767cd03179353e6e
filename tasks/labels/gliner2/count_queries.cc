#include "tasks/labels/gliner2/count_queries.h"

#include <algorithm>
#include <string>

#include "models/encoder/probabilities.h"

namespace bert {
namespace {

constexpr size_t kCounts = 20, kExperts = 4, kTransformerWidth = 128, kTransformerHeads = 4, kTransformerLayers = 2;

Matrix beside(ConstMatrixView a, ConstMatrixView b) {
  Matrix both(a.rows, a.cols + b.cols);
  for (size_t row = 0; row < a.rows; ++row) {
    std::copy_n(b.row(row), b.cols, std::copy_n(a.row(row), a.cols, both.view().row(row)));
  }
  return both;
}

}  // namespace

CountQueries::CountQueries(WeightReader& weights, CountLayer layer, size_t width) : width_(width) {
  const auto gates = [&](const std::string& ending) -> LinearPart {
    return {weights.matrix("count_embed.gru.weight_" + ending, 3 * width, width, WeightRole::kHead),
            weights.vector("count_embed.gru.bias_" + ending, 3 * width, WeightRole::kHead).data()};
  };
  gru_ = {gates("ih_l0"), gates("hh_l0")};
  const std::span<const float> counts =
      weights.floats("count_embed.pos_embedding.weight", kCounts, width, WeightRole::kHead);
  first_count_ = {counts.data(), 1, width, width};
  if (layer == CountLayer::kTwoLayers) layer_ = read_projector(weights);
  if (layer == CountLayer::kExperts) layer_ = read_experts(weights);
  if (layer == CountLayer::kTransformer) layer_ = read_transformer(weights);
  widest_input_ = std::max(4 * width, kTransformerWidth + width);
  widest_input_ = std::max(widest_input_, 2 * kTransformerWidth);
}

CountQueries::Projector CountQueries::read_projector(WeightReader& weights) const {
  return {{read_dense(weights, "count_embed.projector.0", 4 * width_, 2 * width_),
           read_dense(weights, "count_embed.projector.2", width_, 4 * width_)}};
}

CountQueries::Experts CountQueries::read_experts(WeightReader& weights) const {
  Experts layer{{read_dense(weights, "count_embed.router.0", width_, width_),
                 read_dense(weights, "count_embed.router.2", kExperts, width_), Activation::kGelu},
                {}};
  const size_t inner = 2 * width_;
  // The weights [experts, in, out] are read as a convolution with the experts as positions, because positions come
  // first in its floats: [out, in].
  const WeightView first = weights.convolution("count_embed.w1", kExperts, width_, inner);
  const WeightView second = weights.convolution("count_embed.w2", kExperts, inner, width_);
  const std::span<const float> first_bias = weights.floats("count_embed.b1", kExperts, inner, WeightRole::kHead);
  const std::span<const float> second_bias = weights.floats("count_embed.b2", kExperts, width_, WeightRole::kHead);
  for (size_t i = 0; i < kExperts; ++i) {
    layer.experts.push_back({{{.data = first.row(i).data, .rows = inner, .cols = width_}, &first_bias[i * inner]},
                             {{.data = second.row(i).data, .rows = width_, .cols = inner}, &second_bias[i * width_]},
                             Activation::kGelu});
  }
  return layer;
}

CountQueries::Transformer CountQueries::read_transformer(WeightReader& weights) const {
  const std::string all = "count_embed.transformer.";
  constexpr size_t kWidth = kTransformerWidth;
  Transformer layer{.input = read_dense(weights, all + "in_projector", kWidth, width_)};
  for (size_t i = 0; i < kTransformerLayers; ++i) {
    const std::string name = all + "transformer.layers." + std::to_string(i) + ".";
    layer.layers.push_back(
        {.attention = {.qkv = {weights.matrix(name + "self_attn.in_proj_weight", 3 * kWidth, kWidth, WeightRole::kHead),
                               weights.vector(name + "self_attn.in_proj_bias", 3 * kWidth, WeightRole::kHead).data()},
                       .output = read_dense(weights, name + "self_attn.out_proj", kWidth, kWidth),
                       .heads = kTransformerHeads},
         .norm_after_attention = read_norm(weights, name + "norm1", kWidth),
         .feed_forward = {read_dense(weights, name + "linear1", 2 * kWidth, kWidth),
                          read_dense(weights, name + "linear2", kWidth, 2 * kWidth)},
         .norm_after_feed_forward = read_norm(weights, name + "norm2", kWidth)});
  }
  layer.inner = {read_dense(weights, all + "out_projector.0", width_, kWidth + width_),
                 read_dense(weights, all + "out_projector.2", width_, width_)};
  layer.output = read_dense(weights, all + "out_projector.4", width_, width_);
  return layer;
}

Matrix CountQueries::apply_to(const Projector& layer, ConstMatrixView states, ConstMatrixView labels,
                              const ProductRunner& products) {
  return layer.layers.forward(beside(states, labels).view(), products);
}

Matrix CountQueries::apply_to(const Experts& layer, ConstMatrixView states, ConstMatrixView labels,
                              const ProductRunner& products) {
  const Matrix logits = layer.shares.forward(states, products);
  std::vector<std::vector<double>> shares;
  for (size_t row = 0; row < labels.rows; ++row) {
    shares.push_back(probabilities({logits.view().row(row), layer.experts.size()}));
  }
  Matrix sums(states.rows, states.cols);
  std::fill_n(sums.view().data, sums.rows() * sums.cols(), 0.0f);
  for (size_t expert = 0; expert < layer.experts.size(); ++expert) {
    const Matrix y = layer.experts[expert].forward(states, products);
    for (size_t row = 0; row < y.rows(); ++row) {
      const auto share = static_cast<float>(shares[row][expert]);
      for (size_t i = 0; i < y.cols(); ++i) sums.view().row(row)[i] += share * y.view().row(row)[i];
    }
  }
  return sums;
}

Matrix CountQueries::apply_to(const Transformer& layer, ConstMatrixView states, ConstMatrixView labels,
                              const ProductRunner& products) {
  Matrix input(states.rows, states.cols);
  for (size_t row = 0; row < states.rows; ++row) std::copy_n(states.row(row), states.cols, input.view().row(row));
  add_rows(input.view(), labels);
  Matrix x = apply(layer.input, input.view(), products);
  for (const Transformer::Layer& block : layer.layers) {
    const MatrixView rows = x.view();
    add_rows(rows, block.attention.forward(rows, products).view());
    block.norm_after_attention.rows(rows, rows, products.kernels());
    add_rows(rows, block.feed_forward.forward(rows, products).view());
    block.norm_after_feed_forward.rows(rows, rows, products.kernels());
  }
  Matrix inner = layer.inner.forward(beside(x.view(), input.view()).view(), products);
  const MatrixView rows = inner.view();
  products.kernels().activate(rows.data, rows.rows * rows.cols, Activation::kRelu);
  return apply(layer.output, rows, products);
}

Matrix CountQueries::forward(ConstMatrixView labels, const ProductRunner& products) const {
  const Matrix states = gru_.step(first_count_, labels, products);
  return std::visit([&](const auto& layer) { return apply_to(layer, states.view(), labels, products); }, layer_);
}

}  // namespace bert
