#include "tasks/search/near_rows.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <utility>

#include "bert/error.h"
#include "engine/kernels/product_kernel.h"

namespace bert {
namespace {

constexpr double kFloatRounding = 0x1p-24;
constexpr size_t kChunkRows = 1024;
constexpr size_t kSampledRows = 1024;
constexpr size_t kLeastRows = 8192;  // with fewer rows, finding a subspace takes longer than it saves
constexpr size_t kColumns[] = {16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512};

// The cost of a pair, in multiplications of a matrix product: the overhead of a product, and the exact cosine, per
// number of a row, which is read from memory.
constexpr double kCostOfPair = 32;
constexpr double kCostOfCosine = 40;

// Writes the row scaled to length 1; zeros stay zeros.
void write_unit_row(const RowCosines& cosines, size_t index, float* unit) {
  const float* row = cosines.row(index);
  const double squares = cosines.squares(index), scale = squares > 0 ? 1 / std::sqrt(squares) : 0;
  for (size_t c = 0; c < cosines.size(); ++c) unit[c] = static_cast<float>(row[c] * scale);
}

// Returns every step-th row, starting at `first`.
std::vector<float> sample(const RowCosines& cosines, size_t first, size_t step) {
  std::vector<float> rows;
  std::vector<float> unit(cosines.size());
  for (size_t index = first; index < cosines.rows(); index += step) {
    write_unit_row(cosines, index, unit.data());
    rows.insert(rows.end(), unit.begin(), unit.end());
  }
  return rows;
}

// Returns, for each of the ascending `choices`, the share of the sample's pairs whose bound reaches the threshold.
std::vector<double> pass_rates(std::span<const float> rows, size_t size, std::span<const double> directions,
                               std::span<const size_t> choices, double threshold) {
  const size_t count = rows.size() / size, width = choices.back() - 1;
  std::vector<double> parts(count * width), rests(count * choices.size());
  for (size_t i = 0; i < count; ++i) {
    double squares = 0, rest = 0;
    for (size_t c = 0; c < size; ++c) rest += double{rows[i * size + c]} * rows[i * size + c];
    for (size_t k = 0, choice = 0; k < width; ++k) {
      double& part = parts[i * width + k];
      for (size_t c = 0; c < size; ++c) part += rows[i * size + c] * directions[k * size + c];
      squares += part * part;
      if (k + 2 == choices[choice]) rests[i * choices.size() + choice++] = std::sqrt(std::max(rest - squares, 0.0));
    }
  }
  std::vector<double> passed(choices.size());
  for (size_t i = 1; i < count; ++i) {
    for (size_t j = 0; j < i; ++j) {
      double sum = 0;
      for (size_t k = 0, choice = 0; k < width; ++k) {
        sum += parts[i * width + k] * parts[j * width + k];
        if (k + 2 != choices[choice]) continue;
        const double rest = rests[i * choices.size() + choice] * rests[j * choices.size() + choice];
        passed[choice++] += sum + rest >= threshold ? 1 : 0;
      }
    }
  }
  for (double& number : passed) number /= static_cast<double>(count * (count - 1)) / 2;
  return passed;
}

// Returns an upper bound of |computed p(u) - p(u)| for a row u of length 1. Each number has at most the error of size +
// 2 roundings of a sum of products (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1), plus the
// roundings of u and of the direction.
double error_of_part(size_t size, size_t columns) {
  return 1.01 * kFloatRounding * static_cast<double>(size + 8) * std::sqrt(static_cast<double>(columns));
}

constexpr size_t kRounds = 3;  // rounds of the iteration: a good subspace is enough

double product(const double* a, const double* b, size_t size) {
  double sum = 0;
  for (size_t i = 0; i < size; ++i) sum += a[i] * b[i];
  return sum;
}

class Directions {
 public:
  Directions(size_t count, size_t size) : size_(size), numbers_(count * size) {
    for (size_t i = 0; i < count; ++i) fill(i);
  }

  double* row(size_t index) { return numbers_.data() + index * size_; }

  // Gram and Schmidt, twice for each direction: the second time removes rounding errors ("twice is enough"; Parlett,
  // The Symmetric Eigenvalue Problem, section 6.9). A direction that depends on the earlier ones is drawn again.
  void make_orthogonal() {
    for (size_t i = 0; i < numbers_.size() / size_; ++i) {
      double before = std::sqrt(product(row(i), row(i), size_)), after = remove_earlier(i);
      while (!(after > 1e-10 * before)) {
        fill(i);
        before = std::sqrt(product(row(i), row(i), size_));
        after = remove_earlier(i);
      }
      scale(i, 1 / after);
      scale(i, 1 / remove_earlier(i));
    }
  }

  std::vector<double> take() { return std::move(numbers_); }

 private:
  void fill(size_t index) {
    for (size_t i = 0; i < size_; ++i) row(index)[i] = static_cast<double>(random_() >> 11) * 0x1p-52 - 1;
  }

  double remove_earlier(size_t index) {
    for (size_t i = 0; i < index; ++i) {
      const double part = product(row(i), row(index), size_);
      for (size_t c = 0; c < size_; ++c) row(index)[c] -= part * row(i)[c];
    }
    return std::sqrt(product(row(index), row(index), size_));
  }

  void scale(size_t index, double factor) {
    for (size_t c = 0; c < size_; ++c) row(index)[c] *= factor;
  }

  size_t size_;
  std::vector<double> numbers_;
  std::mt19937_64 random_{1};
};

}  // namespace

RowCosines::RowCosines(std::span<const float> vectors, size_t size, ThreadPool& pool)
    : vectors_(vectors), size_(size), squares_(whole_vectors(vectors.size(), size)) {
  pool.run((rows() + kChunkRows - 1) / kChunkRows, [&](size_t task, size_t) {
    for (size_t i = task * kChunkRows; i < std::min(rows(), (task + 1) * kChunkRows); ++i) squares_[i] = dot(i, i);
  });
  const auto unusable = std::find_if(squares_.begin(), squares_.end(), [](double s) { return !std::isfinite(s); });
  if (unusable == squares_.end()) return;
  throw Error(ErrorCode::kInvalidArgument, "row " + std::to_string(unusable - squares_.begin()) +
                                               " has a NaN or an infinity, expected finite numbers");
}

double RowCosines::dot(size_t a, size_t b) const {
  constexpr size_t kSums = 8;
  double sums[kSums] = {};
  const float* left = row(a);
  const float* right = row(b);
  const size_t whole = size_ / kSums * kSums;
  for (size_t c = 0; c < whole; c += kSums) {
    for (size_t lane = 0; lane < kSums; ++lane) sums[lane] += double{left[c + lane]} * right[c + lane];
  }
  for (size_t c = whole; c < size_; ++c) sums[c - whole] += double{left[c]} * right[c];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

double RowCosines::cosine(size_t a, size_t b) const {
  const double squares = squares_[a] * squares_[b];
  return squares > 0 ? std::min(dot(a, b) / std::sqrt(squares), 1.0) : 0;
}

Shortening choose_shortening(const RowCosines& cosines, double threshold, size_t columns, ThreadPool& pool) {
  const size_t size = cosines.size(), rows = cosines.rows();
  if (columns == size || (columns == 0 && rows < kLeastRows)) return {.columns = size, .directions = {}};
  // Directions of one sample are tried on another sample, because they look better on their own rows than they are.
  const size_t step = std::max<size_t>(2, rows / kSampledRows);
  const std::vector<float> own = sample(cosines, 0, step);
  if (columns > 0) return {.columns = columns, .directions = longest_directions(own, size, columns - 1, pool)};
  std::vector<size_t> choices;
  std::copy_if(std::begin(kColumns), std::end(kColumns), std::back_inserter(choices),
               [&](size_t choice) { return 4 * choice <= 3 * size; });
  if (choices.empty()) return {.columns = size, .directions = {}};
  std::vector<double> directions = longest_directions(own, size, choices.back() - 1, pool);
  const std::vector<double> rates = pass_rates(sample(cosines, step / 2, step), size, directions, choices, threshold);
  double least = static_cast<double>(size) + kCostOfPair;
  size_t best = size;
  for (size_t i = 0; i < choices.size(); ++i) {
    const double cost =
        static_cast<double>(choices[i]) + kCostOfPair + rates[i] * kCostOfCosine * static_cast<double>(size);
    if (cost >= least) continue;
    least = cost;
    best = choices[i];
  }
  if (best == size) return {.columns = size, .directions = {}};
  directions.resize((best - 1) * size);
  return {.columns = best, .directions = std::move(directions)};
}

size_t NearRows::bytes(size_t rows, size_t size, const Shortening& shortening, size_t threads) {
  const size_t room = kLeft * kRight + kChunkRows * size + kGemmScratchFloats;
  return (rows * shortening.columns + threads * room) * sizeof(float);
}

NearRows::NearRows(const RowCosines& cosines, double threshold, const Shortening& shortening, ThreadPool& pool)
    : cosines_(cosines), threshold_(threshold), rows_(cosines.rows(), shortening.columns) {
  const size_t columns = shortening.columns, size = cosines.size();
  const bool is_shorter = !shortening.directions.empty();
  const double error = is_shorter ? error_of_part(size, columns) : 0;
  shorten(shortening, error, pool);
  // The product's own error, for two rows of length about 1; 8: the roundings of the rows themselves.
  const double of_product = 1.05 * kFloatRounding * static_cast<double>(columns + 8);
  const double bound_is_low_by = 2 * error * (1 + error) + error * error + of_product;
  floor_ = std::nextafter(static_cast<float>(threshold - bound_is_low_by), -std::numeric_limits<float>::infinity());
}

void NearRows::shorten(const Shortening& shortening, double error, ThreadPool& pool) {
  const size_t size = cosines_.size();
  const std::vector<float> directions(shortening.directions.begin(), shortening.directions.end());
  std::deque<VectorProducts::Room> rooms(pool.size());
  pool.run((cosines_.rows() + kChunkRows - 1) / kChunkRows, [&](size_t task, size_t slot) {
    const size_t first = task * kChunkRows, count = std::min(kChunkRows, cosines_.rows() - first);
    const MatrixView rows = rows_.view().row_range(first, count);
    if (directions.empty()) {
      for (size_t i = 0; i < count; ++i) write_unit_row(cosines_, first + i, rows.row(i));
      return;
    }
    Matrix units(count, size);
    for (size_t i = 0; i < count; ++i) write_unit_row(cosines_, first + i, units.view().row(i));
    const size_t parts = rows.cols - 1;
    products_.multiply(units.view(), directions.data(), {rows.data, count, parts, rows.stride}, rooms[slot]);
    for (size_t i = 0; i < count; ++i) {
      double squares = 0;
      for (size_t c = 0; c < parts; ++c) squares += double{rows.row(i)[c]} * rows.row(i)[c];
      const double least = std::max(std::sqrt(squares) - error, 0.0);
      const double rest = cosines_.squares(first + i) > 0 ? std::sqrt(std::max(1 - least * least, 0.0)) : 0;
      rows.row(i)[parts] = std::nextafter(static_cast<float>(rest), 2.0f);
    }
  });
}

std::vector<double> longest_directions(std::span<const float> rows, size_t size, size_t count, ThreadPool& pool) {
  Directions directions(count, size);
  directions.make_orthogonal();
  for (size_t round = 0; round < kRounds; ++round) {
    // Multiplies each direction by rowsᵀ · rows.
    pool.run(count, [&](size_t index, size_t) {
      double* const direction = directions.row(index);
      std::vector<double> sum(size);
      for (const float* row = rows.data(); row < rows.data() + rows.size(); row += size) {
        double part = 0;
        for (size_t c = 0; c < size; ++c) part += row[c] * direction[c];
        for (size_t c = 0; c < size; ++c) sum[c] += part * row[c];
      }
      std::copy(sum.begin(), sum.end(), direction);
    });
    directions.make_orthogonal();
  }
  return directions.take();
}

}  // namespace bert
