// Computes a text's vector as a sum of one term per token and a constant term: pooling is a sum over tokens, and the
// linear modules after it apply to each term.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "models/sentence/module_state.h"

namespace bert {

namespace {

constexpr double kLeastNorm = 1e-12;  // as in normalize()

}  // namespace

// The terms of the texts' vectors: a row for each token of a sequence, then the constant term.
class ModuleChain::Terms {
 public:
  Terms(ForwardPass& pass, State& state, const std::optional<PoolingMode>& pooling)
      : pass_(pass), state_(state), batch_(pass.batch()), pooling_(pooling) {}

  void apply(const SentenceModule& module, const Weights& weights) {
    if (terms_.rows() == 0 && !makes_text(module)) return state_.apply(module, weights);
    std::visit([&](const auto& kind) { apply(weights, kind); }, module.kind);
  }

  std::vector<Matrix> take() {
    std::vector<Matrix> all;
    for (size_t i = 0; i < batch_.sequences(); ++i) {
      const ConstMatrixView rows = of(i);
      Matrix& terms = all.emplace_back(rows.rows, rows.cols);
      std::copy_n(rows.data, rows.rows * rows.cols, terms.view().data);
    }
    return all;
  }

 private:
  static bool makes_text(const SentenceModule& module) {
    return std::holds_alternative<PoolingModule>(module.kind) || std::holds_alternative<StaticModule>(module.kind);
  }

  MatrixView of(size_t sequence) {
    return terms_.view().row_range(batch_.row_starts[sequence] + sequence, batch_.length(sequence) + 1);
  }

  void begin(size_t width) {
    terms_ = Matrix(batch_.tokens() + batch_.sequences(), width);
    std::fill_n(terms_.view().data, terms_.rows() * width, 0.0f);
  }

  void apply(const Weights&, const PoolingModule& module) {
    const std::vector<PoolingMode> modes = pooling_ ? std::vector<PoolingMode>{*pooling_} : module.modes;
    const ConstMatrixView tokens = state_.tokens();
    begin(modes.size() * tokens.cols);
    for (size_t i = 0; i < batch_.sequences(); ++i) {
      const size_t first = batch_.row_starts[i];
      for (size_t mode = 0; mode < modes.size(); ++mode) {
        const std::vector<double> weights =
            pooling_weights(modes[mode], batch_.places.subspan(first, batch_.length(i)));
        for (size_t token = 0; token < weights.size(); ++token) {
          float* to = of(i).row(token) + mode * tokens.cols;
          for (size_t c = 0; c < tokens.cols; ++c) {
            to[c] = static_cast<float>(weights[token] * static_cast<double>(tokens.row(first + token)[c]));
          }
        }
      }
    }
  }

  void apply(const Weights&, const StaticModule& module) {
    const WeightView& table = pass_.plan().embeddings.word;
    begin(table.cols);
    for (size_t i = 0; i < batch_.sequences(); ++i) {
      const std::span<const int32_t> ids = batch_.ids.subspan(batch_.row_starts[i], batch_.length(i));
      const auto counted = static_cast<double>(std::count_if(
          ids.begin(), ids.end(), [&](int32_t id) { return !module.unknown_id || id != *module.unknown_id; }));
      for (size_t token = 0; token < ids.size(); ++token) {
        if (module.unknown_id && ids[token] == *module.unknown_id) continue;
        float* to = of(i).row(token);
        pass_.context().kernels.copy_row(to, table.row(static_cast<size_t>(ids[token])), table.cols);
        for (size_t c = 0; c < table.cols; ++c) to[c] = static_cast<float>(static_cast<double>(to[c]) / counted);
      }
    }
  }

  void apply(const Weights& weights, const DenseModule& module) {
    const ConstMatrixView x = terms_.view();
    Matrix y(x.rows, module.out), projected;
    ConstMatrixView residual = module.residual ? x : ConstMatrixView{};
    if (weights.residual) {
      projected = Matrix(x.rows, module.out);
      state_.multiply({.x = x, .parts = {&*weights.residual, 1}, .y = projected.view()});
      residual = projected.view();
    }
    const LinearPart part{weights.product->weight, nullptr};
    state_.multiply({.x = x, .parts = {&part, 1}, .residual = residual, .y = y.view()});
    terms_ = std::move(y);
    if (weights.product->bias == nullptr) return;
    for (size_t i = 0; i < batch_.sequences(); ++i) {
      float* constant = of(i).row(batch_.length(i));
      for (size_t c = 0; c < module.out; ++c) constant[c] += weights.product->bias[c];
    }
  }

  void apply(const Weights&, const NormalizeModule&) {
    for (size_t i = 0; i < batch_.sequences(); ++i) {
      const MatrixView rows = of(i);
      double square = 0;
      for (size_t c = 0; c < rows.cols; ++c) {
        double sum = 0;
        for (size_t row = 0; row < rows.rows; ++row) sum += static_cast<double>(rows.row(row)[c]);
        square += sum * sum;
      }
      const double norm = std::max(std::sqrt(square), kLeastNorm);
      for (size_t k = 0; k < rows.rows * rows.cols; ++k) {
        rows.data[k] = static_cast<float>(static_cast<double>(rows.data[k]) / norm);
      }
    }
  }

  // Never called: not_additive() rejects these modules.
  void apply(const Weights&, const LayerNormModule&) {}
  void apply(const Weights&, const TanhQuantizerModule&) {}

  ForwardPass& pass_;
  State& state_;
  const RaggedBatch& batch_;
  const std::optional<PoolingMode>& pooling_;
  Matrix terms_;  // sequence i's rows begin at row_starts[i] + i
};

std::vector<Matrix> ModuleChain::terms(ForwardPass& pass, const std::optional<PoolingMode>& pooling) const {
  State state(pass, pooling, widest_product_);
  Terms terms(pass, state, pooling);
  for (size_t i = 0; i < modules_.size(); ++i) terms.apply(modules_[i], weights_[i]);
  return terms.take();
}

std::string ModuleChain::not_additive(const std::optional<PoolingMode>& pooling) const {
  bool is_text = false;  // the module reads the text's vector
  for (size_t i = 0; i < modules_.size(); ++i) {
    const SentenceModule& module = modules_[i];
    if (const auto* pool = std::get_if<PoolingModule>(&module.kind)) {
      for (const PoolingMode mode : pooling ? std::vector<PoolingMode>{*pooling} : pool->modes) {
        constexpr int32_t kOne[] = {0};
        if (!pooling_weights(mode, kOne).empty()) continue;
        return "pooling " + std::string(name(mode)) +
               (mode == PoolingMode::kMax ? " takes the largest number of any token" : " reads one token");
      }
      is_text = true;
    } else if (std::holds_alternative<StaticModule>(module.kind)) {
      is_text = true;
    } else if (is_text) {
      const auto* dense = std::get_if<DenseModule>(&module.kind);
      const bool is_float = dense == nullptr || element_bytes(weights_[i].product->weight.format) > 1;
      const bool is_linear = dense != nullptr ? dense->activation == Activation::kIdentity
                                              : std::holds_alternative<NormalizeModule>(module.kind);
      if (!is_linear || !is_float) {
        return "the module " + describe_module(module) + (is_float ? " is not linear" : " has 8-bit weights");
      }
    }
  }
  return is_text ? "" : "no module pools the tokens";
}

}  // namespace bert
