#include "tasks/labels/gliclass/gliclass_layers.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace bert {
namespace {

constexpr size_t kInnerSize = 256;  // of the scorer mlp, whatever the file says
constexpr double kLeastNorm = 1e-8;

// Pools the rows, [tokens, width], of a text, and `zeros` rows of zeros.   vector: [width]
void pool_rows(ClassPooling pooling, ConstMatrixView rows, size_t zeros, float* vector) {
  if (pooling == ClassPooling::kFirst) {
    std::copy_n(rows.row(0), rows.cols, vector);
    return;
  }
  if (pooling == ClassPooling::kLast) {
    std::copy_n(rows.row(rows.rows - 1), rows.cols, vector);
    if (zeros > 0) std::fill_n(vector, rows.cols, 0.0f);
    return;
  }
  const bool is_max = pooling == ClassPooling::kMax || pooling == ClassPooling::kAbsoluteMax;
  const auto count = static_cast<double>(rows.rows + zeros);
  for (size_t i = 0; i < rows.cols; ++i) {
    double sum = 0;
    float most = zeros > 0 ? 0.0f : -INFINITY;
    for (size_t row = 0; row < rows.rows; ++row) {
      const float x = rows.row(row)[i];
      if (is_max) {
        most = std::max(most, pooling == ClassPooling::kMax ? x : std::abs(x));
      } else if (pooling == ClassPooling::kRootMeanSquare) {
        sum += static_cast<double>(x) * static_cast<double>(x);
      } else {
        sum += static_cast<double>(pooling == ClassPooling::kAbsoluteMean ? std::abs(x) : x);
      }
    }
    if (is_max) {
      vector[i] = most;
    } else if (pooling == ClassPooling::kSum) {
      vector[i] = static_cast<float>(sum);
    } else {
      vector[i] = static_cast<float>(pooling == ClassPooling::kRootMeanSquare ? std::sqrt(sum / count) : sum / count);
    }
  }
}

}  // namespace

ClassLayers::ClassLayers(const ClassSettings& settings, WeightReader& weights)
    : form_(settings.form),
      scorer_(settings.scorer),
      pooling_(settings.pooling),
      normalizes_(settings.normalizes),
      width_(settings.text.hidden_size) {
  const size_t inner = settings.hidden_size;
  const auto projector = [&](const std::string& name, size_t in) {
    const std::string layers = "model." + name + ".linear_";
    return TwoLayers{read_dense(weights, layers + "1", inner, in), read_dense(weights, layers + "2", width_, inner),
                     settings.activation};
  };
  text_ = projector("text_projector", width_);
  label_ = projector("classes_projector", width_);
  if (settings.labels) encoded_label_ = projector("biencoder_projector", settings.labels->hidden_size);
  if (settings.has_lstm) lstm_ = read_lstm(weights, "model.lstm.lstm.", width_, 1);
  const float scale = weights.scalar("model.logit_scale", WeightRole::kHead);
  if (form_ != ClassForm::kUniEncoder || normalizes_) scale_ = scale;
  widest_input_ = std::max({width_, inner, lstm_.widest_input(), settings.labels ? settings.labels->hidden_size : 0});
  read_scorer(weights);
}

void ClassLayers::read_scorer(WeightReader& weights) {
  const std::string scorer = "model.scorer.";
  if (scorer_ == ClassScorer::kWeightedDot) {
    pairs_.emplace(weights, scorer, "proj_text", width_, 1);
    widest_input_ = std::max(widest_input_, pairs_->widest_input());
  }
  if (scorer_ == ClassScorer::kTwoVectors) {
    inner_ = {read_dense(weights, scorer + "mlp.0", kInnerSize, 2 * width_),
              read_dense(weights, scorer + "mlp.2", kInnerSize / 2, kInnerSize),
              read_dense(weights, scorer + "mlp.4", 1, kInnerSize / 2)};
    widest_input_ = std::max({widest_input_, 2 * width_, kInnerSize});
  }
}

void ClassLayers::finish(MatrixView vectors) const {
  if (!normalizes_) return;
  for (size_t row = 0; row < vectors.rows; ++row) {
    double sum = 0;
    for (size_t i = 0; i < vectors.cols; ++i) {
      const auto x = static_cast<double>(vectors.row(row)[i]);
      sum += x * x;
    }
    const double norm = std::sqrt(sum);
    const double divisor = form_ == ClassForm::kUniEncoder ? norm + kLeastNorm : std::max(norm, kLeastNorm);
    for (size_t i = 0; i < vectors.cols; ++i) {
      vectors.row(row)[i] = static_cast<float>(static_cast<double>(vectors.row(row)[i]) / divisor);
    }
  }
}

Matrix ClassLayers::texts(ConstMatrixView tokens, std::span<const size_t> row_starts, std::span<const size_t> zeros,
                          const ProductRunner& products) const {
  Matrix recurrent;
  if (!lstm_.layers.empty()) {
    recurrent = Matrix(tokens.rows, width_);
    lstm_.forward(tokens, row_starts, recurrent.view(), products);
    tokens = std::as_const(recurrent).view();
  }
  const size_t count = row_starts.size() - 1;
  Matrix pooled(count, width_);
  for (size_t i = 0; i < count; ++i) {
    const ConstMatrixView rows = tokens.row_range(row_starts[i], row_starts[i + 1] - row_starts[i]);
    // With a recurrent layer, the rows end with the text.
    pool_rows(pooling_, rows, lstm_.layers.empty() ? zeros[i] : 0, pooled.view().row(i));
  }
  Matrix vectors = text_.forward(pooled.view(), products);
  finish(vectors.view());
  return vectors;
}

Matrix ClassLayers::labels(ConstMatrixView x, const ProductRunner& products) const {
  Matrix vectors = label_.forward(x, products);
  finish(vectors.view());
  return vectors;
}

Matrix ClassLayers::encoded_labels(ConstMatrixView x, const ProductRunner& products) const {
  return labels(std::as_const(*encoded_label_).forward(x, products).view(), products);
}

Matrix ClassLayers::several_layers(Matrix x, const ProductRunner& products) const {
  for (size_t layer = 0; layer < inner_.size(); ++layer) {
    if (layer > 0) {
      for (size_t row = 0; row < x.rows(); ++row) {
        products.kernels().activate(x.view().row(row), x.cols(), Activation::kRelu);
      }
    }
    x = apply(inner_[layer], std::as_const(x).view(), products);
  }
  return x;
}

std::vector<float> ClassLayers::logits(ConstMatrixView text, ConstMatrixView labels,
                                       const ProductRunner& products) const {
  Matrix scores;
  if (scorer_ == ClassScorer::kDot) {
    const LinearPart vector{{.data = text.data, .rows = 1, .cols = width_}, nullptr};
    scores = apply(vector, labels, products);
  } else if (scorer_ == ClassScorer::kWeightedDot) {
    scores = pairs_->logits(text, labels, products);
  } else {
    Matrix both(labels.rows, 2 * width_);
    for (size_t label = 0; label < labels.rows; ++label) {
      std::copy_n(labels.row(label), width_, std::copy_n(text.data, width_, both.view().row(label)));
    }
    scores = several_layers(std::move(both), products);
  }
  std::vector<float> logits;
  for (size_t label = 0; label < labels.rows; ++label) logits.push_back(scores.view().row(label)[0] * scale_);
  return logits;
}

}  // namespace bert
