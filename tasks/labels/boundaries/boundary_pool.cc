#include "tasks/labels/boundaries/boundary_pool.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/base/elementary.h"

namespace bert {
namespace {

constexpr size_t kPairsAtOnce = 256, kModulatedWidth = 64;
constexpr float kReservedScore = 5000;  // above all other scores: for a label's own best pairs

double root_of(size_t width) { return std::sqrt(static_cast<double>(width)); }

// Returns the best score of any label at each boundary.
std::vector<float> best_of_labels(const Matrix& scores) {
  std::vector<float> best(scores.view().row(0), scores.view().row(0) + scores.cols());
  for (size_t label = 1; label < scores.rows(); ++label) {
    for (size_t i = 0; i < best.size(); ++i) best[i] = std::max(best[i], scores.view().row(label)[i]);
  }
  return best;
}

}  // namespace

std::vector<BoundaryPair> pooled_pairs(const BoundarySettings& settings, const BoundaryScores& scores,
                                       const std::function<double(const BoundaryPair&)>& fit) {
  const std::vector<float> starts = best_of_labels(scores.starts), ends = best_of_labels(scores.ends);
  std::vector<ScoredPair> pairs;
  std::vector<float> fits;
  const std::vector<size_t> best_ends = largest(ends, settings.pool_boundaries);
  for (const size_t start : largest(starts, settings.pool_boundaries)) {
    for (const size_t end : best_ends) {
      if (end <= start) continue;
      fits.push_back(static_cast<float>(fit({start, end})));
      pairs.push_back({{start, end}, fits.back() + starts[start] + ends[end]});
    }
  }
  const std::vector<ScoredPair> of_all = pairs;
  std::vector<float> own(of_all.size());
  const size_t reserved = std::min(settings.pool_per_label, own.size());
  for (size_t label = 0; label < scores.starts.rows(); ++label) {
    for (size_t i = 0; i < own.size(); ++i) {
      const BoundaryPair& pair = of_all[i].pair;
      own[i] = scores.starts.view().row(label)[pair.start] + scores.ends.view().row(label)[pair.end] + fits[i];
    }
    const std::vector<size_t> best = largest(own, reserved);
    for (size_t rank = 0; rank < best.size(); ++rank) {
      // The reference starts from the number of its pairs, valid or not; the order is the same.
      pairs.push_back({of_all[best[rank]].pair, kReservedScore + static_cast<float>(settings.pool_per_label - rank)});
    }
  }
  return best_pairs(std::move(pairs), settings.pool_size);
}

PairRelation relation(const BoundaryPair& pair, const BoundaryPair& other) {
  if (pair == other) return PairRelation::kEqual;
  if (pair.end == other.end) return PairRelation::kSameEnd;
  if (pair.start == other.start) return PairRelation::kSameStart;
  if (pair.start > other.start && pair.end < other.end) return PairRelation::kInside;
  if (pair.start < other.start && pair.end > other.end) return PairRelation::kAround;
  if (other.end <= pair.start) return PairRelation::kAfter;
  if (pair.end <= other.start) return PairRelation::kBefore;
  return PairRelation::kCrossing;
}

BoundaryPool::BoundaryPool(WeightReader& weights, const BoundarySettings& settings, size_t width)
    : settings_(settings), widest_input_(std::max({width, settings.width, 4 * settings.pair_width, kModulatedWidth})) {
  const std::string pool = "boundary_head.shared_pool_builder.", scorer = "boundary_head.shared_pool_scorer.";
  const size_t own = settings.width, pair = settings.pair_width;
  pool_start_ = read_dense(weights, pool + "start_projection", own, own);
  pool_end_ = read_dense(weights, pool + "end_projection", own, own);
  start_ = read_dense(weights, scorer + "start_projection", pair, own);
  end_ = read_dense(weights, scorer + "end_projection", pair, own);
  length_ = weights.floats(scorer + "length_projection.weight", pair, 3, WeightRole::kHead);
  length_bias_ = weights.vector(scorer + "length_projection.bias", pair, WeightRole::kHead);
  fit_ = weights.floats(scorer + "prior_projection.weight", pair, 1, WeightRole::kHead);
  fit_bias_ = weights.vector(scorer + "prior_projection.bias", pair, WeightRole::kHead);
  if (settings.has_content) {
    content_.emplace(weights, scorer + "content_pooler.", settings.content, width);
    of_content_ = read_dense(weights, scorer + "content_projection", pair, settings.content.outputs());
    widest_input_ = std::max(widest_input_, settings.content.outputs());
  }
  norm_ = read_norm(weights, scorer + "candidate_norm", pair);
  for (size_t i = 0; i < settings.pool_layers; ++i) {
    const std::string name = scorer + "candidate_layers." + std::to_string(i) + ".";
    pair_layers_.push_back(
        {read_block(weights, name, name, "output", read_dense(weights, name + "qkv", 3 * pair, pair)),
         weights.floats(name + "relative_bias", kOverlapKinds, settings.pool_heads, WeightRole::kHead)});
  }
  label_ = read_dense(weights, scorer + "query_projection", pair, width);
  for (size_t i = 0; i < settings.label_layers; ++i) {
    const std::string name = scorer + "query_layers." + std::to_string(i) + ".", attention = name + "attention.";
    const LinearPart qkv{weights.matrix(attention + "in_proj_weight", 3 * pair, pair, WeightRole::kHead),
                         weights.vector(attention + "in_proj_bias", 3 * pair, WeightRole::kHead).data()};
    label_layers_.push_back({read_dense(weights, name + "query_in", pair, pair),
                             read_dense(weights, name + "evidence_in", pair, pair),
                             read_block(weights, name, attention, "out_proj", qkv)});
  }
  modulation_ = read_dense(weights, scorer + "film", 2 * pair, pair);
  modulated_ = {read_dense(weights, scorer + "film_output.0", kModulatedWidth, pair),
                read_dense(weights, scorer + "film_output.3", 1, kModulatedWidth), Activation::kGelu};
}

BoundaryPool::Block BoundaryPool::read_block(WeightReader& weights, const std::string& name,
                                             const std::string& attention, const char* output, LinearPart qkv) const {
  const size_t pair = settings_.pair_width;
  return {.norm_before_attention = read_norm(weights, name + "norm1", pair),
          .norm_before_feed_forward = read_norm(weights, name + "norm2", pair),
          .attention = {.qkv = qkv,
                        .output = read_dense(weights, attention + output, pair, pair),
                        .heads = settings_.pool_heads},
          .feed_forward = {read_dense(weights, name + "ffn.0", 4 * pair, pair),
                           read_dense(weights, name + "ffn.3", pair, 4 * pair), Activation::kGelu}};
}

void BoundaryPool::apply_block(const Block& block, MatrixView x, const RowAttentionBias& bias,
                               const ProductRunner& products) {
  Matrix normed(x.rows, x.cols);
  block.norm_before_attention.rows(x, normed.view(), products.kernels());
  add_rows(x, block.attention.forward(normed.view(), products, bias).view());
  block.norm_before_feed_forward.rows(x, normed.view(), products.kernels());
  add_rows(x, block.feed_forward.forward(normed.view(), products).view());
}

// Returns vectors of the candidates, [pairs, pair_width].
Matrix BoundaryPool::vectors(std::span<const BoundaryPair> pairs, std::span<const double> fits, ConstMatrixView states,
                             ConstMatrixView words, const ProductRunner& products) const {
  const Matrix starts = apply(start_, states, products), ends = apply(end_, states, products);
  const size_t width = settings_.pair_width;
  Matrix y(pairs.size(), width);
  for (size_t row = 0; row < pairs.size(); ++row) {
    const BoundaryPair& pair = pairs[row];
    const auto length = static_cast<double>(pair.words());
    const double features[] = {log_of_one_plus(length), length / static_cast<double>(words.rows),
                               1 / std::sqrt(length)};
    for (size_t i = 0; i < width; ++i) {
      double sum =
          static_cast<double>(starts.view().row(pair.start)[i]) + static_cast<double>(ends.view().row(pair.end)[i]);
      sum += static_cast<double>(length_bias_[i]) + static_cast<double>(fit_bias_[i]);
      for (size_t feature = 0; feature < 3; ++feature) {
        sum += static_cast<double>(length_[3 * i + feature]) * features[feature];
      }
      y.view().row(row)[i] = static_cast<float>(sum + static_cast<double>(fit_[i]) * fits[row]);
    }
  }
  const MatrixView rows = y.view();
  if (content_) {
    add_rows(rows, apply(of_content_, content_->forward(words, pairs, products).view(), products).view());
  }
  norm_.rows(rows, rows, products.kernels());
  for (const PairLayer& layer : pair_layers_) {
    const RowAttentionBias bias = [&](size_t head, size_t first, size_t queries, float* to) {
      for (size_t query = first; query < first + queries; ++query) {
        for (const BoundaryPair& other : pairs) {
          *to++ = layer.biases[static_cast<size_t>(relation(pairs[query], other)) * settings_.pool_heads + head];
        }
      }
    };
    apply_block(layer.block, rows, bias, products);
  }
  return y;
}

// Returns [labels, pair_width]. vectors: of the candidates.
Matrix BoundaryPool::label_vectors(ConstMatrixView labels, ConstMatrixView vectors,
                                   const ProductRunner& products) const {
  Matrix y = apply(label_, labels, products);
  for (const LabelLayer& layer : label_layers_) {
    // The mean of the candidates, weighted by how well they fit the label.
    Matrix evidence(y.rows(), y.cols());
    std::vector<double> scores(vectors.rows);
    for (size_t label = 0; label < y.rows(); ++label) {
      for (size_t pair = 0; pair < vectors.rows; ++pair) {
        scores[pair] = wide_dot(y.view().row(label), vectors.row(pair), y.cols());
      }
      const double most = *std::max_element(scores.begin(), scores.end());
      std::vector<double> sums(y.cols());
      double total = 0;
      for (size_t pair = 0; pair < vectors.rows; ++pair) {
        const double share = exponential_of(scores[pair] - most);
        total += share;
        for (size_t i = 0; i < sums.size(); ++i) sums[i] += share * static_cast<double>(vectors.row(pair)[i]);
      }
      for (size_t i = 0; i < sums.size(); ++i) evidence.view().row(label)[i] = static_cast<float>(sums[i] / total);
    }
    Matrix next = apply(layer.label, y.view(), products);
    add_rows(next.view(), apply(layer.evidence, evidence.view(), products).view());
    apply_block(layer.block, next.view(), nullptr, products);
    y = std::move(next);
  }
  return y;
}

std::vector<ScoredPairs> BoundaryPool::forward(ConstMatrixView states, ConstMatrixView words, ConstMatrixView labels,
                                               const BoundaryScores& scores, const ProductRunner& products) const {
  const Matrix starts = apply(pool_start_, states, products), ends = apply(pool_end_, states, products);
  const auto fit = [&](const BoundaryPair& pair) {
    const size_t count = starts.cols();
    return wide_dot(starts.view().row(pair.start), ends.view().row(pair.end), count) / root_of(count);
  };
  const std::vector<BoundaryPair> pairs = pooled_pairs(settings_, scores, fit);
  std::vector<ScoredPairs> result(labels.rows);
  if (pairs.empty()) return result;
  std::vector<double> fits(pairs.size());
  std::transform(pairs.begin(), pairs.end(), fits.begin(), fit);
  const Matrix candidates = vectors(pairs, fits, states, words, products);
  const Matrix of_labels = label_vectors(labels, candidates.view(), products);
  const Matrix changes = apply(modulation_, of_labels.view(), products);
  const size_t width = settings_.pair_width;
  Matrix changed(std::min(kPairsAtOnce, pairs.size()), width);
  for (size_t label = 0; label < labels.rows; ++label) {
    ScoredPairs& of_label = result[label];
    of_label.pairs = pairs;
    const float* change = changes.view().row(label);
    for (size_t begin = 0; begin < pairs.size(); begin += kPairsAtOnce) {
      const MatrixView rows = changed.view().row_range(0, std::min(kPairsAtOnce, pairs.size() - begin));
      for (size_t row = 0; row < rows.rows; ++row) {
        const float* candidate = candidates.view().row(begin + row);
        for (size_t i = 0; i < width; ++i) rows.row(row)[i] = candidate[i] * (1 + change[i]) + change[width + i];
      }
      const Matrix outputs = modulated_.forward(rows, products);
      for (size_t row = 0; row < rows.rows; ++row) {
        const BoundaryPair& pair = pairs[begin + row];
        double score =
            wide_dot(of_labels.view().row(label), candidates.view().row(begin + row), width) / root_of(width);
        score += static_cast<double>(outputs.view().row(row)[0]);
        score += scores.start(label, pair) + scores.end(label, pair);
        if (settings_.uses_inside) score += scores.inside(label, pair);
        of_label.logits.push_back(score);
      }
    }
  }
  return result;
}

}  // namespace bert
