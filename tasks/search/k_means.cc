// k_means: Lloyd's algorithm. Products are summed in float32 in the same order on every CPU; means and distances in
// float64 in the order of the rows. So the result does not depend on the number of threads.
#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bert/clusters.h"
#include "bert/error.h"
#include "engine/base/cpu.h"
#include "engine/base/joined.h"
#include "engine/kernels/product_kernel.h"
#include "tasks/search/cluster_run.h"
#include "tasks/search/near_rows.h"
#include "tasks/search/vector_products.h"

namespace bert {
namespace {

constexpr size_t kAssignedRows = 512;
constexpr size_t kTileCenters = 256;
constexpr size_t kMeanColumns = 64;                            // columns of a centre, per task
constexpr double kDistanceRounding = 1e-15;                    // relative to a squared distance
constexpr size_t kSampleOfCluster = 32, kLeastSample = 16384;  // rows per cluster, and at least, in the sample for the
                                                               // first centres

class Clustering {
 public:
  Clustering(const RowCosines& rows, const KMeansOptions& options, ThreadPool& pool)
      : rows_(rows), options_(options), pool_(pool), rooms_(pool.size()), scales_(rows.rows()) {
    for (size_t i = 0; i < rows.rows(); ++i) {
      scales_[i] = rows.squares(i) > 0 ? static_cast<float>(1 / std::sqrt(rows.squares(i))) : 0;
    }
  }

  static size_t bytes(size_t rows, size_t size, size_t clusters, size_t threads) {
    const size_t room = kAssignedRows * kTileCenters + kGemmScratchFloats;
    return rows * (sizeof(float) + 2 * sizeof(uint32_t) + 2 * sizeof(double) + sizeof(size_t)) +
           clusters * (2 * size * sizeof(float) + 6 * sizeof(size_t)) + threads * room * sizeof(float);
  }

  KMeans run() {
    choose_centers();
    result_.clusters.assign(rows_.rows(), 0);
    while (result_.iterations < options_.most_iterations && !result_.has_converged) {
      const bool is_first = result_.iterations == 0;
      const size_t changed = assign() + fill_empty();
      result_.has_converged = changed == 0 && !is_first;
      ++result_.iterations;
      if (!result_.has_converged) set_means();
      const double done = static_cast<double>(result_.iterations) / static_cast<double>(options_.most_iterations);
      if (options_.run.progress) options_.run.progress(done);
    }
    for (const double distance : distances()) result_.inertia += distance;
    put_largest_first();
    set_cosines();
    return std::move(result_);
  }

 private:
  float* center(size_t index) { return result_.centers.data() + index * rows_.size(); }

  template <class Body>
  void for_rows(size_t count, const Body& body) {
    pool_.run((count + kAssignedRows - 1) / kAssignedRows, [&](size_t task, size_t slot) {
      body(task * kAssignedRows, std::min(kAssignedRows, count - task * kAssignedRows), slot);
    });
  }

  // Returns the squared distance of two rows scaled to length 1; 0 if it is only rounding.
  double distance_of_rows(size_t a, size_t b) const {
    const double lengths = (rows_.squares(a) > 0 ? 1 : 0) + (rows_.squares(b) > 0 ? 1 : 0);
    const double distance = lengths - 2 * rows_.cosine(a, b);
    return distance > kDistanceRounding ? distance : 0;
  }

  // k-means++: each centre is a row, drawn with a probability proportional to its squared distance to the nearest
  // earlier centre; from a sample, or from all rows if the sample has fewer different rows than clusters.
  void choose_centers() {
    const size_t sample = std::max(kLeastSample, kSampleOfCluster * options_.clusters);
    if (sample < rows_.rows() && choose_among(sample)) return;
    choose_among(rows_.rows());
  }

  // Returns false if there are fewer different rows than clusters; there are then as many centres as different rows.
  bool choose_among(size_t count) {
    const auto row_of = [&](size_t i) { return i * rows_.rows() / count; };
    std::mt19937_64 random(options_.seed);
    const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
    std::vector<double> nearest(count, 4.0);
    result_.centers.resize(options_.clusters * rows_.size());
    std::optional<size_t> chosen = static_cast<size_t>(uniform() * static_cast<double>(count));
    for (clusters_ = 0; clusters_ < options_.clusters; ++clusters_) {
      if (clusters_ > 0) chosen = drawn(nearest, uniform());
      if (!chosen) break;
      const float* row = rows_.row(row_of(*chosen));
      for (size_t c = 0; c < rows_.size(); ++c) {
        center(clusters_)[c] = static_cast<float>(row[c] * double{scales_[row_of(*chosen)]});
      }
      for_rows(count, [&](size_t first, size_t rows, size_t) {
        for (size_t i = first; i < first + rows; ++i) {
          nearest[i] = std::min(nearest[i], distance_of_rows(row_of(i), row_of(*chosen)));
        }
      });
    }
    result_.centers.resize(clusters_ * rows_.size());
    return clusters_ == options_.clusters;
  }

  // Returns nullopt if every row equals a centre.
  static std::optional<size_t> drawn(const std::vector<double>& weights, double uniform) {
    double sum = 0;
    for (const double weight : weights) sum += weight;
    const double wanted = uniform * sum;
    double before = 0;
    std::optional<size_t> last;
    for (size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] == 0) continue;
      before += weights[i];
      last = i;
      if (before > wanted) break;
    }
    return last;
  }

  // Assigns each row to the nearest centre. Returns the number of rows whose cluster changed.
  size_t assign() {
    const size_t size = rows_.size();
    std::vector<float> half_squares(clusters_);
    for (size_t k = 0; k < clusters_; ++k) {
      double squares = 0;
      for (size_t c = 0; c < size; ++c) squares += double{center(k)[c]} * center(k)[c];
      half_squares[k] = static_cast<float>(squares / 2);
    }
    std::vector<size_t> changed(pool_.size());
    for_rows(rows_.rows(), [&](size_t first, size_t count, size_t slot) {
      Room& room = rooms_[slot];
      if (room.tile.size() == 0) room.tile = AlignedBuffer<float>(kAssignedRows * kTileCenters);
      std::vector<std::pair<float, uint32_t>> best(count);  // |x - c|² is 2 (|c|²/2 - x · c) plus a term that is equal
                                                            // for all centres
      for (size_t k = 0; k < clusters_; k += kTileCenters) {
        const size_t centers = std::min(kTileCenters, clusters_ - k);
        const MatrixView tile{room.tile.data(), count, centers, centers};
        products_.multiply({rows_.row(first), count, size, size}, center(k), tile, room.products);
        for (size_t i = 0; i < count; ++i) {
          for (size_t j = 0; j < centers; ++j) {
            const float half_distance = half_squares[k + j] - tile.row(i)[j] * scales_[first + i];
            if (k + j == 0 || half_distance < best[i].first) best[i] = {half_distance, static_cast<uint32_t>(k + j)};
          }
        }
      }
      for (size_t i = 0; i < count; ++i) {
        changed[slot] += result_.clusters[first + i] != best[i].second ? 1 : 0;
        result_.clusters[first + i] = best[i].second;
      }
    });
    result_.sizes.assign(clusters_, 0);
    for (const uint32_t cluster : result_.clusters) ++result_.sizes[cluster];
    size_t sum = 0;
    for (const size_t one : changed) sum += one;
    return sum;
  }

  // Returns the squared distance of each row to its centre.
  std::vector<double> distances() {
    std::vector<double> result(rows_.rows());
    for_rows(rows_.rows(), [&](size_t first, size_t count, size_t) {
      for (size_t i = first; i < first + count; ++i) {
        const float* mean = center(result_.clusters[i]);
        const double scale = rows_.squares(i) > 0 ? 1 / std::sqrt(rows_.squares(i)) : 0;
        for (size_t c = 0; c < rows_.size(); ++c) {
          const double difference = rows_.row(i)[c] * scale - mean[c];
          result[i] += difference * difference;
        }
      }
    });
    return result;
  }

  // Gives each empty cluster the row that is farthest from its centre, from a cluster with other rows. Returns how many
  // clusters were empty.
  size_t fill_empty() {
    std::vector<double> far;
    size_t filled = 0;
    for (size_t k = 0; k < clusters_; ++k) {
      if (result_.sizes[k] > 0) continue;
      if (far.empty()) far = distances();
      size_t farthest = rows_.rows();
      for (size_t i = 0; i < rows_.rows(); ++i) {
        if (result_.sizes[result_.clusters[i]] < 2) continue;
        if (farthest == rows_.rows() || far[i] > far[farthest]) farthest = i;
      }
      --result_.sizes[result_.clusters[farthest]];
      result_.clusters[farthest] = static_cast<uint32_t>(k);
      result_.sizes[k] = 1;
      ++filled;
    }
    return filled;
  }

  void set_means() {
    const size_t size = rows_.size();
    std::vector<size_t> starts(clusters_ + 1);
    for (size_t k = 0; k < clusters_; ++k) starts[k + 1] = starts[k] + result_.sizes[k];
    std::vector<uint32_t> members(rows_.rows());
    std::vector<size_t> next(starts.begin(), starts.end() - 1);
    for (size_t i = 0; i < rows_.rows(); ++i) members[next[result_.clusters[i]]++] = static_cast<uint32_t>(i);
    const size_t parts = (size + kMeanColumns - 1) / kMeanColumns;
    pool_.run(clusters_ * parts, [&](size_t task, size_t) {
      const size_t k = task / parts, begin = task % parts * kMeanColumns, count = std::min(kMeanColumns, size - begin);
      double sums[kMeanColumns] = {};
      for (size_t m = starts[k]; m < starts[k + 1]; ++m) {
        const float* row = rows_.row(members[m]) + begin;
        const double scale = rows_.squares(members[m]) > 0 ? 1 / std::sqrt(rows_.squares(members[m])) : 0;
        for (size_t c = 0; c < count; ++c) sums[c] += row[c] * scale;
      }
      for (size_t c = 0; c < count; ++c) {
        center(k)[begin + c] = static_cast<float>(sums[c] / static_cast<double>(result_.sizes[k]));
      }
    });
  }

  void put_largest_first() {
    const size_t count = clusters_, size = rows_.size();
    std::vector<size_t> first_rows(count, rows_.rows()), order(count);
    for (size_t i = rows_.rows(); i-- > 0;) first_rows[result_.clusters[i]] = i;
    for (size_t k = 0; k < count; ++k) order[k] = k;
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return result_.sizes[a] != result_.sizes[b] ? result_.sizes[a] > result_.sizes[b] : first_rows[a] < first_rows[b];
    });
    std::vector<uint32_t> places(count);
    std::vector<size_t> sizes(count);
    std::vector<float> centers(count * size);
    for (size_t place = 0; place < count; ++place) {
      places[order[place]] = static_cast<uint32_t>(place);
      sizes[place] = result_.sizes[order[place]];
      std::copy_n(center(order[place]), size, centers.data() + place * size);
    }
    result_.sizes = std::move(sizes);
    result_.centers = std::move(centers);
    for (uint32_t& cluster : result_.clusters) cluster = places[cluster];
  }

  void set_cosines() {
    result_.cosines.resize(rows_.rows());
    for_rows(rows_.rows(), [&](size_t first, size_t count, size_t) {
      for (size_t i = first; i < first + count; ++i) {
        const float* mean = center(result_.clusters[i]);
        double dot = 0, squares = 0;
        for (size_t c = 0; c < rows_.size(); ++c) {
          dot += double{rows_.row(i)[c]} * mean[c];
          squares += double{mean[c]} * mean[c];
        }
        squares *= rows_.squares(i);
        result_.cosines[i] = squares > 0 ? std::min(dot / std::sqrt(squares), 1.0) : 0;
      }
    });
  }

  struct Room {
    VectorProducts::Room products;
    AlignedBuffer<float> tile;
  };

  const RowCosines& rows_;
  const KMeansOptions& options_;
  ThreadPool& pool_;
  VectorProducts products_;
  std::deque<Room> rooms_;
  std::vector<float> scales_;  // factors that scale each row to length 1
  size_t clusters_ = 0;
  KMeans result_;
};

}  // namespace

KMeans k_means(std::span<const float> vectors, size_t size, const KMeansOptions& options) {
  const size_t rows = whole_vectors(vectors.size(), size);
  if (options.clusters == 0 || options.clusters > rows || rows > UINT32_MAX) {
    throw Error(ErrorCode::kInvalidArgument, number_of(options.clusters, "cluster") + " of " + number_of(rows, "row") +
                                                 ", expected from 1 to the number of rows, below 2^32");
  }
  if (options.most_iterations == 0) throw Error(ErrorCode::kInvalidArgument, "0 iterations, expected 1 or more");
  ThreadPool pool(options.run.threads == 0 ? available_cores() : options.run.threads);
  const RowCosines cosines(vectors, size, pool);
  check_bytes(options.run, cosines.bytes() + Clustering::bytes(rows, size, options.clusters, pool.size()));
  return Clustering(cosines, options, pool).run();
}

}  // namespace bert
