#include "tasks/labels/boundaries/boundary_pairs.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/base/elementary.h"

namespace bert {
namespace {

constexpr size_t kRowsOfPartners = 256;  // boundaries in one product

double root(size_t width) { return std::sqrt(static_cast<double>(width)); }

// Rotates components 2 i and 2 i + 1 of each row by an angle that grows with the row's index.
void rotate_rows(MatrixView rows, double base) {
  for (size_t i = 0; i < rows.cols / 2; ++i) {
    // float32 in the reference
    const double exponent = static_cast<double>(2 * i) / static_cast<double>(rows.cols);
    const auto frequency = static_cast<double>(static_cast<float>(1 / power_of(base, exponent)));
    for (size_t row = 0; row < rows.rows; ++row) {
      const double angle = static_cast<double>(row) * frequency, sine = std::sin(angle), cosine = std::cos(angle);
      float* x = rows.row(row) + 2 * i;
      const auto even = static_cast<double>(x[0]), odd = static_cast<double>(x[1]);
      x[0] = static_cast<float>(even * cosine - odd * sine);
      x[1] = static_cast<float>(even * sine + odd * cosine);
    }
  }
}

double gated_dot(const float* a, const float* b, const float* c, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; ++i) {
    sum += static_cast<double>(a[i]) * static_cast<double>(b[i]) * static_cast<double>(c[i]);
  }
  return sum;
}

}  // namespace

BoundaryPairScorer::BoundaryPairScorer(WeightReader& weights, const BoundarySettings& settings, size_t width)
    : settings_(settings), widest_input_(std::max({width, settings.width, 2 * settings.pair_width})) {
  const std::string proposer = "boundary_head.boundary_proposer.", scorer = "boundary_head.pair_scorer.";
  const size_t own = settings.width, pair = settings.pair_width, parts = settings.rotates_ends ? 2 : 1;
  proposed_ = {read_dense(weights, proposer + "start_pair_projection", own, own),
               read_dense(weights, proposer + "end_key_projection", own, own),
               read_dense(weights, proposer + "start_query_projection", own / parts, width)};
  scored_ = {read_dense(weights, scorer + "start_endpoint_projection", pair, own),
             read_dense(weights, scorer + "end_endpoint_projection", pair, own),
             read_dense(weights, scorer + "query_gate", pair / parts, width)};
  const size_t heads = settings.compatibility_heads;
  const std::span<const float> mix = weights.floats(scorer + "compat_mix.weight", 1, heads, WeightRole::kHead);
  head_weights_.assign(mix.begin(), mix.end());
  head_bias_ = weights.vector(scorer + "compat_mix.bias", 1, WeightRole::kHead)[0];
  length_ = read_dense(weights, scorer + "length_query_projection", 3, width);
  if (settings.has_differences) {
    const std::string name = scorer + "endpoint_difference_projection";
    difference_ = weights.floats(name + ".weight", 1, 2 * pair, WeightRole::kHead);
    difference_bias_ = weights.vector(name + ".bias", 1, WeightRole::kHead)[0];
  }
  if (settings.label_weighs_inside) {
    inside_of_label_ = read_dense(weights, scorer + "inside_weight", 1, width);
  } else {
    inside_weight_ = weights.scalar(scorer + "inside_weight", WeightRole::kHead);
  }
  if (settings.has_content) {
    content_.emplace(weights, scorer + "content_pooler.", settings.content, width);
    content_of_label_ = read_dense(weights, scorer + "content_query_projection", settings.content.outputs(), width);
    content_bias_ = read_dense(weights, scorer + "content_bias", 1, settings.content.outputs());
    widest_input_ = std::max(widest_input_, settings.content.outputs());
  }
}

BoundaryPairScorer::ProjectedEnds BoundaryPairScorer::project(const Ends& ends, ConstMatrixView states,
                                                              ConstMatrixView labels,
                                                              const ProductRunner& products) const {
  ProjectedEnds result{apply(ends.start, states, products), apply(ends.end, states, products), {}};
  if (settings_.rotates_ends) {
    rotate_rows(result.starts.view(), settings_.rotary_base);
    rotate_rows(result.ends.view(), settings_.rotary_base);
  }
  Matrix gates = apply(ends.gate, labels, products);
  products.kernels().activate(gates.view().data, gates.rows() * gates.cols(), Activation::kSigmoid);
  if (!settings_.rotates_ends) {
    result.gates = std::move(gates);
    return result;
  }
  result.gates = Matrix(labels.rows, result.starts.cols());
  for (size_t row = 0; row < labels.rows; ++row) {
    for (size_t i = 0; i < result.gates.cols(); ++i) result.gates.view().row(row)[i] = gates.view().row(row)[i / 2];
  }
  return result;
}

void BoundaryPairScorer::add_partners(const ProjectedEnds& ends, const BoundaryScores& scores, bool of_starts,
                                      std::vector<std::vector<ScoredPair>>& pairs,
                                      const ProductRunner& products) const {
  const Matrix& own_scores = of_starts ? scores.starts : scores.ends;
  const Matrix& partner_scores = of_starts ? scores.ends : scores.starts;
  const ConstMatrixView own = of_starts ? ends.starts.view() : ends.ends.view();
  const ConstMatrixView partners = of_starts ? ends.ends.view() : ends.starts.view();
  const size_t boundaries = own.rows, width = own.cols, labels = pairs.size();
  const size_t base = of_starts ? settings_.best_starts : settings_.best_ends;
  const size_t most = of_starts ? settings_.ends_per_start : settings_.starts_per_end;
  const size_t tried = std::min(boundaries, boundaries_to_try(settings_, base, boundaries));
  const auto scale = static_cast<float>(1 / root(width));
  std::vector<size_t> chosen;  // for each label, the boundaries that are tried
  for (size_t label = 0; label < labels; ++label) {
    const std::vector<size_t> best = largest({own_scores.view().row(label), boundaries}, tried);
    chosen.insert(chosen.end(), best.begin(), best.end());
  }
  Matrix gated(std::min(kRowsOfPartners, chosen.size()), width), fits(gated.rows(), boundaries);
  for (size_t begin = 0; begin < chosen.size(); begin += kRowsOfPartners) {
    const size_t count = std::min(kRowsOfPartners, chosen.size() - begin);
    for (size_t row = 0; row < count; ++row) {
      const float* from = own.row(chosen[begin + row]);
      const float* gate = ends.gates.view().row((begin + row) / tried);
      for (size_t i = 0; i < width; ++i) gated.view().row(row)[i] = from[i] * gate[i];
    }
    const LinearPart of_partners{{.data = partners.data, .rows = boundaries, .cols = width}, nullptr};
    products.multiply(
        {.x = gated.view().row_range(0, count), .parts = {&of_partners, 1}, .y = fits.view().row_range(0, count)});
    for (size_t row = 0; row < count; ++row) {
      const size_t label = (begin + row) / tried, boundary = chosen[begin + row];
      float* sums = fits.view().row(row);
      for (size_t i = 0; i < boundaries; ++i) {
        sums[i] = sums[i] * scale + partner_scores.view().row(label)[i] + own_scores.view().row(label)[boundary];
      }
      // Ends come after starts.
      const size_t first = of_starts ? boundary + 1 : 0, last = of_starts ? boundaries : boundary;
      for (const size_t i : largest({sums + first, last - first}, most)) {
        const size_t partner = first + i;
        pairs[label].push_back(
            {of_starts ? BoundaryPair{boundary, partner} : BoundaryPair{partner, boundary}, sums[partner]});
      }
    }
  }
}

std::vector<std::vector<BoundaryPair>> BoundaryPairScorer::candidates(const ProjectedEnds& ends,
                                                                      const BoundaryScores& scores,
                                                                      const ProductRunner& products) const {
  std::vector<std::vector<ScoredPair>> pairs(scores.starts.rows());
  add_partners(ends, scores, true, pairs, products);
  if (settings_.both_directions) add_partners(ends, scores, false, pairs, products);
  std::vector<std::vector<BoundaryPair>> result;
  for (std::vector<ScoredPair>& of_label : pairs) {
    result.push_back(best_pairs(std::move(of_label), settings_.candidates));
  }
  return result;
}

std::vector<ScoredPairs> BoundaryPairScorer::forward(ConstMatrixView states, ConstMatrixView words,
                                                     ConstMatrixView labels, const BoundaryScores& scores,
                                                     const ProductRunner& products) const {
  const ProjectedEnds proposed = project(proposed_, states, labels, products);
  const ProjectedEnds scored = project(scored_, states, labels, products);
  const std::vector<std::vector<BoundaryPair>> pairs = candidates(proposed, scores, products);
  const Matrix lengths = apply(length_, labels, products);
  Matrix inside_weights, content_weights;
  if (inside_of_label_) inside_weights = apply(*inside_of_label_, labels, products);
  if (content_) content_weights = apply(content_of_label_, labels, products);
  const size_t width = settings_.width, pair_width = settings_.pair_width;
  const size_t head_width = pair_width / settings_.compatibility_heads;

  std::vector<ScoredPairs> result(labels.rows);
  for (size_t label = 0; label < labels.rows; ++label) {
    Matrix content, content_biases;
    if (content_) {
      content = content_->forward(words, pairs[label], products);
      content_biases = apply(content_bias_, content.view(), products);
    }
    result[label].pairs = pairs[label];
    for (size_t i = 0; i < pairs[label].size(); ++i) {
      const BoundaryPair& pair = pairs[label][i];
      const float* start = scored.starts.view().row(pair.start);
      const float* end = scored.ends.view().row(pair.end);
      const float* gate = scored.gates.view().row(label);
      double score = scores.start(label, pair) + scores.end(label, pair);
      score += gated_dot(proposed.starts.view().row(pair.start), proposed.gates.view().row(label),
                         proposed.ends.view().row(pair.end), width) /
               root(width);
      if (settings_.has_compatibility) {
        double fit = static_cast<double>(head_bias_);
        for (size_t head = 0; head < settings_.compatibility_heads; ++head) {
          const size_t at = head * head_width;
          fit += static_cast<double>(head_weights_[head]) * gated_dot(start + at, gate + at, end + at, head_width);
        }
        score += fit / root(pair_width);
      }
      if (!difference_.empty()) {
        score += static_cast<double>(difference_bias_);
        for (size_t c = 0; c < pair_width; ++c) {
          const double difference = static_cast<double>(start[c]) - static_cast<double>(end[c]);
          score += static_cast<double>(difference_[c]) * difference +
                   static_cast<double>(difference_[pair_width + c]) * std::abs(difference);
        }
      }
      if (content_) {
        score +=
            wide_dot(content.view().row(i), content_weights.view().row(label), content.cols()) / root(content.cols());
        score += static_cast<double>(content_biases.view().row(i)[0]);
      }
      if (settings_.uses_inside) {
        const float weight = inside_of_label_ ? inside_weights.view().row(label)[0] : inside_weight_;
        score += static_cast<double>(weight) * scores.inside(label, pair);
      }
      const auto length = static_cast<double>(pair.words());
      const float* of_length = lengths.view().row(label);
      score += static_cast<double>(of_length[0]) * log_of_one_plus(length);
      score += static_cast<double>(of_length[1]) * length / static_cast<double>(words.rows);
      score += static_cast<double>(of_length[2]) / std::sqrt(length);
      result[label].logits.push_back(score);
    }
  }
  return result;
}

}  // namespace bert
