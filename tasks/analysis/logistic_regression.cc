#include "tasks/analysis/logistic_regression.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "bert/error.h"

namespace bert::analysis {
namespace {

constexpr size_t kLanes = 8;
constexpr size_t kMaxSteps = 500;
constexpr size_t kMaxHalvings = 40;
constexpr double kConverged = 1e-13;  // |gradient|, relative to the largest possible for these rows
constexpr double kNoProgress = 1e-9;  // |gradient| at which to stop if no step makes it smaller

// Sums in a fixed order: eight sums in parallel, then pairs of them.
template <class Number>
double sum_of_products(const Number* a, const double* b, size_t count) {
  double sums[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) sums[lane] += static_cast<double>(a[i + lane]) * b[i + lane];
  }
  for (size_t lane = 0; i < count; ++i, ++lane) sums[lane] += static_cast<double>(a[i]) * b[i];
  for (size_t step = kLanes / 2; step > 0; step /= 2) {
    for (size_t lane = 0; lane < step; ++lane) sums[lane] += sums[lane + step];
  }
  return sums[0];
}

double sum_of_products(const std::vector<double>& a, const std::vector<double>& b) {
  return sum_of_products(a.data(), b.data(), a.size());
}

double norm(const std::vector<double>& a) { return std::sqrt(sum_of_products(a, a)); }

void add_scaled(std::vector<double>& to, double scale, const std::vector<double>& x) {
  for (size_t i = 0; i < to.size(); ++i) to[i] += scale * x[i];
}

// The loss as a function of the parameters: each vector's weights, then its intercept.
class Loss {
 public:
  Loss(const LabelledRows& data, double c)
      : data_(data), c_(c), rows_(data.labels.size()), vectors_(data.label_count == 2 ? 1 : data.label_count) {}

  size_t vectors() const { return vectors_; }
  size_t stride() const { return data_.width + 1; }
  size_t parameters() const { return vectors_ * stride(); }

  // Returns an upper bound of the gradient's norm.
  double gradient_bound() const {
    double sum = 0;
    for (size_t row = 0; row < rows_; ++row) {
      double squares = 1;
      for (size_t i = 0; i < data_.width; ++i) squares += square(row_values(row)[i]);
      sum += std::sqrt(squares);
    }
    return c_ * sum;
  }

  // Returns the loss; also computes the probabilities, which gradient(), curvature() and diagonal() need.
  double value(const std::vector<double>& at) {
    probabilities_.resize(rows_ * vectors_);
    double sum = 0;
    for (size_t row = 0; row < rows_; ++row) {
      double* scores = probabilities_.data() + row * vectors_;
      scores_of(row, at, scores);
      sum += vectors_ == 1 ? one_vector_loss(row, scores) : softmax_loss(row, scores);
    }
    double penalty = 0;
    for (size_t v = 0; v < vectors_; ++v) {
      const double* weights = at.data() + v * stride();
      penalty += sum_of_products(weights, weights, data_.width);
    }
    return c_ * sum + penalty / 2;
  }

  std::vector<double> gradient(const std::vector<double>& at) const {
    std::vector<double> result(parameters());
    for (size_t row = 0; row < rows_; ++row) {
      for (size_t v = 0; v < vectors_; ++v) {
        const bool is_label = vectors_ == 1 ? data_.labels[row] == 1 : data_.labels[row] == v;
        add_row(row, probability(row, v) - (is_label ? 1 : 0), result.data() + v * stride());
      }
    }
    return finished(result, at);
  }

  // Returns the second derivatives times a direction.
  std::vector<double> curvature(const std::vector<double>& direction) const {
    std::vector<double> result(parameters()), scores(vectors_);
    for (size_t row = 0; row < rows_; ++row) {
      scores_of(row, direction, scores.data());
      double mean = 0;
      for (size_t v = 0; v < vectors_; ++v) mean += probability(row, v) * scores[v];
      for (size_t v = 0; v < vectors_; ++v) {
        add_row(row, probability(row, v) * (scores[v] - mean), result.data() + v * stride());
      }
    }
    return finished(result, direction);
  }

  // Returns the second derivative by each parameter.
  std::vector<double> diagonal() const {
    std::vector<double> result(parameters());
    for (size_t row = 0; row < rows_; ++row) {
      const float* x = row_values(row);
      for (size_t v = 0; v < vectors_; ++v) {
        const double variance = probability(row, v) * (1 - probability(row, v));
        double* to = result.data() + v * stride();
        for (size_t i = 0; i < data_.width; ++i) to[i] += variance * square(x[i]);
        to[data_.width] += variance;
      }
    }
    std::vector<double> ones(parameters(), 1.0);
    result = finished(result, ones);
    for (double& value : result) value = std::max(value, 1e-300);  // an intercept whose label is certain in every row
    return result;
  }

 private:
  static double square(float x) { return static_cast<double>(x) * static_cast<double>(x); }
  const float* row_values(size_t row) const { return data_.rows.data() + row * data_.width; }
  double probability(size_t row, size_t v) const { return probabilities_[row * vectors_ + v]; }

  void scores_of(size_t row, const std::vector<double>& at, double* scores) const {
    for (size_t v = 0; v < vectors_; ++v) {
      const double* weights = at.data() + v * stride();
      scores[v] = sum_of_products(row_values(row), weights, data_.width) + weights[data_.width];
    }
  }

  void add_row(size_t row, double scale, double* to) const {
    const float* x = row_values(row);
    for (size_t i = 0; i < data_.width; ++i) to[i] += scale * static_cast<double>(x[i]);
    to[data_.width] += scale;
  }

  // Returns c times the rows' sum, plus the penalty's part; intercepts have no penalty.
  std::vector<double> finished(std::vector<double>& sums, const std::vector<double>& penalized) const {
    for (size_t i = 0; i < sums.size(); ++i) {
      sums[i] = c_ * sums[i] + (i % stride() == data_.width ? 0 : penalized[i]);
    }
    return std::move(sums);
  }

  // Both functions overwrite the scores by the probabilities.
  double one_vector_loss(size_t row, double* score) const {
    const double z = *score, small = exp_of_negative(-std::abs(z));
    *score = z >= 0 ? 1 / (1 + small) : small / (1 + small);
    return log_from_one(1 + small) + std::max(z, 0.0) - (data_.labels[row] == 1 ? z : 0);
  }

  double softmax_loss(size_t row, double* scores) const {
    const double largest = *std::max_element(scores, scores + vectors_), wanted = scores[data_.labels[row]];
    double sum = 0;
    for (size_t v = 0; v < vectors_; ++v) sum += scores[v] = exp_of_negative(scores[v] - largest);
    for (size_t v = 0; v < vectors_; ++v) scores[v] /= sum;
    return log_from_one(sum) + largest - wanted;
  }

  const LabelledRows& data_;
  const double c_;
  const size_t rows_, vectors_;
  std::vector<double> probabilities_;  // [rows, vectors]
};

// Solves curvature * step = -gradient by preconditioned conjugate gradients.
std::vector<double> newton_step(const Loss& loss, const std::vector<double>& gradient, double precision) {
  const std::vector<double> diagonal = loss.diagonal();
  const auto scaled = [&](const std::vector<double>& x) {
    std::vector<double> result(x.size());
    for (size_t i = 0; i < x.size(); ++i) result[i] = x[i] / diagonal[i];
    return result;
  };
  std::vector<double> step(gradient.size()), residual(gradient.size());
  for (size_t i = 0; i < gradient.size(); ++i) residual[i] = -gradient[i];
  std::vector<double> conditioned = scaled(residual), direction = conditioned;
  double product = sum_of_products(residual, conditioned);
  const double wanted = precision * norm(gradient);
  for (size_t i = 0; i < 2 * gradient.size() && norm(residual) > wanted; ++i) {
    const std::vector<double> curved = loss.curvature(direction);
    const double along = sum_of_products(direction, curved);
    if (!(along > 0)) break;  // only rounding errors are left
    add_scaled(step, product / along, direction);
    add_scaled(residual, -product / along, curved);
    conditioned = scaled(residual);
    const double next = sum_of_products(residual, conditioned);
    for (size_t p = 0; p < direction.size(); ++p) direction[p] = conditioned[p] + next / product * direction[p];
    product = next;
  }
  return step;
}

}  // namespace

double exp_of_negative(double x) {
  if (!(x > -708)) return 0;  // also for NaN
  constexpr double kLog2E = 1.4426950408889634, kLn2High = 0.693147180369123816490,
                   kLn2Low = 1.90821492927058770002e-10;
  const double power = std::floor(x * kLog2E + 0.5);
  const double rest = (x - power * kLn2High) - power * kLn2Low;  // at most ln(2) / 2
  double sum = 1;
  for (int term = 14; term > 0; --term) sum = 1 + sum * rest / term;
  return std::ldexp(sum, static_cast<int>(power));
}

double log_from_one(double x) {
  int power = 0;
  double mantissa = std::frexp(x, &power);  // in [1/2, 1)
  if (mantissa < 0.70710678118654752) {
    mantissa *= 2;
    --power;
  }
  const double ratio = (mantissa - 1) / (mantissa + 1), square = ratio * ratio;  // log = 2 atanh(ratio)
  double sum = 0;
  for (int term = 23; term > 0; term -= 2) sum = 1.0 / term + sum * square;
  return 2 * ratio * sum + power * 0.69314718055994531;
}

LogisticRegression minimize_logistic_loss(const LabelledRows& data, double c) {
  Loss loss(data, c);
  const double bound = loss.gradient_bound();
  if (!std::isfinite(bound)) {
    throw Error(ErrorCode::kNonFinite, "a NaN or an infinity in the rows to fit, expected finite numbers");
  }
  std::vector<double> at(loss.parameters());
  double value = loss.value(at);
  std::vector<double> gradient = loss.gradient(at);
  LogisticRegression result{.labels = data.label_count, .width = data.width, .weights = {}, .intercepts = {}};
  while (norm(gradient) > kConverged * bound) {
    const double relative = norm(gradient) / bound;
    const std::vector<double> step = newton_step(loss, gradient, std::min(0.1, std::sqrt(relative)));
    const double slope = sum_of_products(gradient, step);
    double length = 1;
    bool improves = false;
    std::vector<double> next;
    for (size_t half = 0; half < kMaxHalvings && !improves; ++half) {
      next = at;
      add_scaled(next, length, step);
      const double next_value = loss.value(next);
      improves = next_value <= value + 1e-4 * length * slope;
      // If the values differ only by rounding, a smaller gradient is nearer to the minimum.
      if (!improves && half == 0 && relative < 1e-6) improves = norm(loss.gradient(next)) < norm(gradient);
      if (improves) value = next_value;
      length /= 2;
    }
    if (!improves && relative <= kNoProgress) {
      loss.value(at);
      break;
    }
    if (!improves || ++result.iterations == kMaxSteps) {
      throw Error(ErrorCode::kInvalidArgument, "the regression did not converge in " +
                                                   std::to_string(result.iterations) +
                                                   " steps, expected rows of numbers of similar size");
    }
    at = std::move(next);
    gradient = loss.gradient(at);
  }
  for (size_t v = 0; v < loss.vectors(); ++v) {
    const auto begin = at.begin() + static_cast<std::ptrdiff_t>(v * loss.stride());
    result.weights.insert(result.weights.end(), begin, begin + static_cast<std::ptrdiff_t>(data.width));
    result.intercepts.push_back(begin[static_cast<std::ptrdiff_t>(data.width)]);
  }
  if (loss.vectors() > 1) {
    double mean = 0;
    for (const double intercept : result.intercepts) mean += intercept / static_cast<double>(loss.vectors());
    for (double& intercept : result.intercepts) intercept -= mean;
  }
  return result;
}

}  // namespace bert::analysis
