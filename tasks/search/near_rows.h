// Finds pairs of rows whose cosine reaches a threshold, by matrix products. Each row is shortened so that the product
// of two shorter rows is an upper bound of the rows' cosine:
//
//   cosine(u, v) = p(u) · p(v) + e(u) · e(v)  <=  p(u) · p(v) + |e(u)| |e(v)|        (Cauchy and Schwarz)
//
// p is the row's part in a subspace in which the rows of a sample are long, e is the rest. The shorter row is p and
// |e|. If a sample shows that no subspace saves work, the shorter row is the whole row, scaled to length 1. Immutable;
// safe to call from many threads.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/base/aligned_buffer.h"
#include "engine/base/thread_pool.h"
#include "engine/tensor/matrix.h"
#include "tasks/search/vector_products.h"

namespace bert {

// The cosines of rows, in float64 and in a fixed order of summation.
class RowCosines {
 public:
  // Throws Error(kInvalidArgument) for a row with a NaN or an infinity.
  RowCosines(std::span<const float> vectors, size_t size, ThreadPool& pool);

  size_t rows() const { return squares_.size(); }
  size_t bytes() const { return squares_.size() * sizeof(double); }  // memory, without the vectors
  size_t size() const { return size_; }
  const float* row(size_t index) const { return vectors_.data() + index * size_; }
  double squares(size_t index) const { return squares_[index]; }  // the row's product with itself
  double dot(size_t a, size_t b) const;
  double cosine(size_t a, size_t b) const;  // 0 for a row of zeros; 1 for a row with itself

 private:
  std::span<const float> vectors_;
  size_t size_;
  std::vector<double> squares_;
};

// How rows are shortened.
struct Shortening {
  size_t columns = 0;              // of a shorter row; equal to the row's size if rows are only scaled to length 1
  std::vector<double> directions;  // [columns - 1, size], orthogonal; empty if rows are only scaled
};

// columns: 2 to the size of a row; 0: the fastest number for a sample of the rows.
Shortening choose_shortening(const RowCosines& cosines, double threshold, size_t columns, ThreadPool& pool);

class NearRows {
 public:
  static constexpr size_t kLeft = 512, kRight = 256;  // rows of a tile

  // Scratch memory of a thread that scans.
  struct Room {
    VectorProducts::Room products;
    AlignedBuffer<float> tile;
  };

  // Keeps a view of `cosines`.
  NearRows(const RowCosines& cosines, double threshold, const Shortening& shortening, ThreadPool& pool);

  // Returns the bytes that a NearRows of this many rows needs.
  static size_t bytes(size_t rows, size_t size, const Shortening& shortening, size_t threads);

  size_t columns() const { return rows_.cols(); }
  // The shorter rows, [rows, columns]; a caller may reorder them.
  MatrixView rows() { return rows_.view(); }
  ConstMatrixView rows() const { return rows_.view(); }
  const RowCosines& cosines() const { return cosines_; }
  double threshold() const { return threshold_; }
  // If a product of two shorter rows is below this number, their cosine is below the threshold.
  float floor() const { return floor_; }

  // Calls found(i, j) for each row i of `left` and row j of `right` whose product is at least floor(). left: [rows,
  // columns];  right: [rows, columns], contiguous, at most kRight rows
  template <class Found>
  void scan(ConstMatrixView left, ConstMatrixView right, Room& room, const Found& found) const {
    if (room.tile.size() == 0) room.tile = AlignedBuffer<float>(kLeft * kRight);
    for (size_t first = 0; first < left.rows; first += kLeft) {
      const size_t count = first + kLeft < left.rows ? kLeft : left.rows - first;
      const MatrixView tile{room.tile.data(), count, right.rows, right.rows};
      products_.multiply(left.row_range(first, count), right.data, tile, room.products);
      for (size_t i = 0; i < count; ++i) {
        const float* bounds = tile.row(i);
        // Rarely any: a loop without branches finds that out faster.
        unsigned any = 0;
        for (size_t j = 0; j < right.rows; ++j) any |= static_cast<unsigned>(bounds[j] >= floor_);
        if (any == 0) continue;
        for (size_t j = 0; j < right.rows; ++j) {
          if (bounds[j] >= floor_) found(first + i, j);
        }
      }
    }
  }

 private:
  void shorten(const Shortening& shortening, double error, ThreadPool& pool);

  const RowCosines& cosines_;
  double threshold_;
  VectorProducts products_;
  Matrix rows_;
  float floor_ = 0;
};

// Finds directions in which rows are long: the first principal axes of a sample, by orthogonal iteration in float64.
// Rows are not centred, because a subspace for their products also needs their mean. Returns [count, size]: orthonormal
// directions, to float64's precision, sorted by descending length of the rows in them. The same rows always give the
// same directions.   rows: [n, size];  count: 1 to size. Source: Golub and Van Loan, Matrix Computations,
// section 8.2.4.
std::vector<double> longest_directions(std::span<const float> rows, size_t size, size_t count, ThreadPool& pool);

}  // namespace bert
