#include "tasks/search/subspace.h"

#include <cmath>
#include <random>

namespace bert {
namespace {

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
