// find_duplicates: works block by block; compares each row of a block with the kept rows before the block, then with
// those inside the block, in order.
#include <algorithm>
#include <cstring>
#include <deque>
#include <tuple>
#include <utility>
#include <vector>

#include "bert/clusters.h"
#include "engine/base/cpu.h"
#include "tasks/search/cluster_run.h"
#include "tasks/search/near_rows.h"

namespace bert {
namespace {

constexpr size_t kComparedRows = 2048;

// The earlier kept row that has the largest cosine with a row; of equal ones the first.
struct Nearest {
  size_t kept = 0;
  double cosine = 0;  // 0: none yet; the threshold is higher

  void include(size_t other, double other_cosine) {
    if (other_cosine > cosine || (other_cosine == cosine && other < kept)) *this = {other, other_cosine};
  }
};

// Two rows of a block whose cosine reaches the threshold.
struct NearPair {
  uint32_t later, earlier;  // indices in the block
  double cosine;
};

class Deduplication {
 public:
  Deduplication(NearRows& near, ThreadPool& pool)
      : near_(near), pool_(pool), rooms_(pool.size()), nearest_(pool.size()), pairs_(pool.size()) {}

  static size_t bytes(size_t rows, size_t columns, size_t threads) {
    return rows * (sizeof(size_t) + sizeof(Duplicate)) + threads * kComparedRows * sizeof(Nearest) +
           kComparedRows * columns * sizeof(float) + 2 * kComparedRows * kComparedRows / 2 * sizeof(NearPair);
  }

  std::vector<Duplicate> run(const std::function<void(double)>& progress) {
    const size_t rows = near_.cosines().rows();
    for (size_t first = 0; first < rows; first += kComparedRows) {
      add_block(first, std::min(kComparedRows, rows - first));
      const double done = static_cast<double>(std::min(rows, first + kComparedRows)) / static_cast<double>(rows);
      if (progress) progress(done * done);
    }
    return std::move(duplicates_);
  }

 private:
  void add_block(size_t first, size_t count) {
    compare_with_kept(first, count);
    compare_within(first, count);
    std::vector<NearPair> pairs;
    for (std::vector<NearPair>& found : pairs_) {
      pairs.insert(pairs.end(), found.begin(), found.end());
      found.clear();
    }
    std::sort(pairs.begin(), pairs.end(), [](const NearPair& a, const NearPair& b) {
      return std::tie(a.later, a.earlier) < std::tie(b.later, b.earlier);
    });
    std::vector<bool> is_kept(count);
    auto pair = pairs.begin();
    for (size_t i = 0; i < count; ++i) {
      Nearest nearest = nearest_.front()[i];
      for (; pair != pairs.end() && pair->later == i; ++pair) {
        if (is_kept[pair->earlier]) nearest.include(first + pair->earlier, pair->cosine);
      }
      is_kept[i] = nearest.cosine == 0;
      if (is_kept[i]) {
        keep(first + i);
      } else {
        duplicates_.push_back({first + i, nearest.kept, nearest.cosine});
      }
    }
  }

  // Moves the row to the kept rows, the first of near_.rows(); other rows before `first` are no longer needed.
  void keep(size_t row) {
    const MatrixView rows = near_.rows();
    if (row != kept_.size()) std::memcpy(rows.row(kept_.size()), rows.row(row), rows.cols * sizeof(float));
    kept_.push_back(row);
  }

  void compare_with_kept(size_t first, size_t count) {
    for (std::vector<Nearest>& own : nearest_) own.assign(count, {});
    const ConstMatrixView block = std::as_const(near_).rows().row_range(first, count);
    pool_.run((kept_.size() + NearRows::kRight - 1) / NearRows::kRight, [&](size_t task, size_t slot) {
      const size_t begin = task * NearRows::kRight, rows = std::min(NearRows::kRight, kept_.size() - begin);
      near_.scan(block, std::as_const(near_).rows().row_range(begin, rows), rooms_[slot], [&](size_t i, size_t j) {
        const double cosine = near_.cosines().cosine(first + i, kept_[begin + j]);
        if (cosine >= near_.threshold()) nearest_[slot][i].include(kept_[begin + j], cosine);
      });
    });
    for (size_t slot = 1; slot < nearest_.size(); ++slot) {
      for (size_t i = 0; i < count; ++i) {
        const Nearest& own = nearest_[slot][i];
        if (own.cosine > 0) nearest_.front()[i].include(own.kept, own.cosine);
      }
    }
  }

  // Finds pairs of a row and an earlier row inside the block, among rows that are near no row before the block.
  void compare_within(size_t first, size_t count) {
    const ConstMatrixView block = std::as_const(near_).rows().row_range(first, count);
    std::vector<uint32_t> open;
    for (size_t i = 0; i < count; ++i) {
      if (nearest_.front()[i].cosine == 0) open.push_back(static_cast<uint32_t>(i));
    }
    Matrix open_rows(open.size(), block.cols);
    for (size_t i = 0; i < open.size(); ++i) {
      std::memcpy(open_rows.view().row(i), block.row(open[i]), block.cols * sizeof(float));
    }
    pool_.run((count + NearRows::kRight - 1) / NearRows::kRight, [&](size_t task, size_t slot) {
      const size_t begin = task * NearRows::kRight, rows = std::min(NearRows::kRight, count - begin);
      const auto end = std::lower_bound(open.begin(), open.end(), begin + rows);  // an earlier row is before it
      const ConstMatrixView earlier =
          std::as_const(open_rows).view().row_range(0, static_cast<size_t>(end - open.begin()));
      near_.scan(earlier, block.row_range(begin, rows), rooms_[slot], [&](size_t i, size_t j) {
        if (open[i] >= begin + j) return;
        const double cosine = near_.cosines().cosine(first + begin + j, first + open[i]);
        if (cosine >= near_.threshold()) pairs_[slot].push_back({static_cast<uint32_t>(begin + j), open[i], cosine});
      });
    });
  }

  NearRows& near_;
  ThreadPool& pool_;
  std::deque<NearRows::Room> rooms_;
  std::vector<std::vector<Nearest>> nearest_;  // for each thread, for each row of the block
  std::vector<std::vector<NearPair>> pairs_;   // for each thread
  std::vector<size_t> kept_;
  std::vector<Duplicate> duplicates_;
};

}  // namespace

std::vector<Duplicate> find_duplicates(std::span<const float> vectors, size_t size, const DuplicateOptions& options) {
  check_threshold(options.threshold);
  ThreadPool pool(options.run.threads == 0 ? available_cores() : options.run.threads);
  const RowCosines cosines(vectors, size, pool);
  const Shortening shortening = choose_shortening(cosines, options.threshold, 0, pool);
  check_bytes(options.run, cosines.bytes() + NearRows::bytes(cosines.rows(), size, shortening, pool.size()) +
                               Deduplication::bytes(cosines.rows(), shortening.columns, pool.size()));
  NearRows near(cosines, options.threshold, shortening, pool);
  return Deduplication(near, pool).run(options.run.progress);
}

}  // namespace bert
