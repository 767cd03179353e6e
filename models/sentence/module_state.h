// A pass's vectors while a ModuleChain changes them. Used by one thread.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "engine/layers/product_runner.h"
#include "models/sentence/module_chain.h"
#include "models/sentence/pooling.h"

namespace bert {

// The vectors between two modules.
class ModuleChain::State {
 public:
  // pooled: empty: the rows of each sequence.
  State(ForwardPass& pass, const std::optional<PoolingMode>& pooling, size_t widest_product,
        std::span<const RowRange> pooled = {})
      : pass_(pass),
        batch_(pass.batch()),
        pooling_(pooling),
        pooled_(pooled.begin(), pooled.end()),
        products_(pass.context(), widest_product),
        tokens_(pass.hidden()) {
    for (size_t i = 0; pooled.empty() && i < batch_.sequences(); ++i) {
      pooled_.push_back({batch_.row_starts[i], batch_.length(i)});
    }
  }

  void apply(const SentenceModule& module, const Weights& weights) {
    std::visit([&](const auto& kind) { apply(weights, kind); }, module.kind);
  }

  void multiply(const Product& product) { products_.multiply(product); }

  ConstMatrixView tokens() const { return tokens_; }
  Matrix take() && { return std::move(text_); }
  Matrix take_tokens() && {
    if (own_tokens_.rows() == 0) copy_tokens();
    return std::move(own_tokens_);
  }

 private:
  void apply(const Weights&, const PoolingModule& module) {
    if (pooling_ == PoolingMode::kPooler) {
      text_ = Matrix(batch_.sequences(), pass_.hidden().cols);
      return pass_.pool(text_.view());
    }
    const std::vector<PoolingMode> modes = pooling_ ? std::vector<PoolingMode>{*pooling_} : module.modes;
    text_ = Matrix(pooled_.size(), modes.size() * tokens_.cols);
    pass_.context().pool.run(pooled_.size(), [&](size_t i, size_t) {
      float* vector = text_.view().row(i);
      const ConstMatrixView rows = tokens_.row_range(pooled_[i].first, pooled_[i].count);
      const std::span<const int32_t> places = batch_.places.subspan(pooled_[i].first, pooled_[i].count);
      for (const PoolingMode mode : modes) {
        pool_tokens(mode, rows, places, {vector, tokens_.cols});
        vector += tokens_.cols;
      }
    });
  }

  void apply(const Weights&, const StaticModule& module) {
    const WeightView& table = pass_.plan().embeddings.word;
    const KernelTable& kernels = pass_.context().kernels;
    text_ = Matrix(batch_.sequences(), table.cols);
    pass_.context().pool.run(batch_.sequences(), [&](size_t i, size_t) {
      mean_of_rows(table, batch_.ids.subspan(batch_.row_starts[i], batch_.length(i)), module.unknown_id, kernels,
                   {text_.view().row(i), table.cols});
    });
  }

  void apply(const Weights& weights, const DenseModule& module) {
    const ConstMatrixView x = module.of == VectorOf::kToken ? tokens_ : text_.view();
    Matrix y(x.rows, module.out);
    Matrix projected;
    ConstMatrixView residual;
    if (weights.residual) {
      projected = Matrix(x.rows, module.out);
      multiply({.x = x, .parts = {&*weights.residual, 1}, .y = projected.view()});
      residual = projected.view();
    } else if (module.residual) {
      residual = x;
    }
    multiply({.x = x,
              .parts = {&*weights.product, 1},
              .activation = module.activation,
              .residual = residual,
              .y = y.view()});
    replace(module.of, std::move(y));
  }

  void apply(const Weights& weights, const LayerNormModule&) {
    weights.norm->forward(text_.view(), text_.view(), pass_.context());
  }

  void apply(const Weights&, const NormalizeModule& module) {
    if (module.of == VectorOf::kToken && own_tokens_.rows() == 0) copy_tokens();
    const MatrixView rows = module.of == VectorOf::kToken ? own_tokens_.view() : text_.view();
    for (size_t row = 0; row < rows.rows; ++row) normalize({rows.row(row), rows.cols});
  }

  void apply(const Weights&, const TanhQuantizerModule&) {
    const MatrixView rows = text_.view();
    for (size_t row = 0; row < rows.rows; ++row) {
      pass_.context().kernels.activate(rows.row(row), rows.cols, Activation::kTanh);
      for (size_t i = 0; i < rows.cols; ++i) rows.row(row)[i] = std::nearbyint(127 * rows.row(row)[i]);
    }
  }

  void copy_tokens() {
    Matrix copy(tokens_.rows, tokens_.cols);
    for (size_t row = 0; row < tokens_.rows; ++row) std::copy_n(tokens_.row(row), tokens_.cols, copy.view().row(row));
    replace(VectorOf::kToken, std::move(copy));
  }

  void replace(VectorOf of, Matrix vectors) {
    if (of == VectorOf::kText) {
      text_ = std::move(vectors);
    } else {
      own_tokens_ = std::move(vectors);
      tokens_ = own_tokens_.view();
    }
  }

  ForwardPass& pass_;
  const RaggedBatch& batch_;
  const std::optional<PoolingMode>& pooling_;
  std::vector<RowRange> pooled_;
  ProductRunner products_;
  ConstMatrixView tokens_;
  Matrix own_tokens_;  // holds tokens_ after a module has replaced the encoder's vectors
  Matrix text_;
};

}  // namespace bert
