// Finds near-duplicates and clusters among vectors by comparing the cosines of all pairs.
//
//   for (const bert::Duplicate& one : bert::find_duplicates(vectors, size, {.threshold = 0.9})) drop(one.row);
//   const bert::KMeans groups = bert::k_means(vectors, size, {.clusters = 20});
//
// vectors: [rows, size]. A cosine is computed in float64 from the rows as given, in a fixed order of summation; results
// are the same on every CPU and for every number of threads. The cosine of a row of zeros with any other row is 0.
// Stateless; safe to call from many threads. Functions throw Error: for a NaN or an infinity, a span that is not a
// whole number of vectors, an option outside its range, and if the call would need more memory than `most_bytes`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bert/export.h"

namespace bert {

// Options of how a function of this header runs.
struct ClusterRun {
  size_t threads = 0;     // 0: the cores that affinity and the container's limit allow
  size_t most_bytes = 0;  // limit of the memory that a call needs besides the vectors, checked before it begins; 0:
                          // none
  // Called in the caller's thread with the finished share of the work, from 0 to 1. An exception from it ends the call.
  std::function<void(double)> progress = {};
};

// A row that is dropped because its cosine with an earlier kept row reaches the threshold.
struct Duplicate {
  size_t row = 0;
  size_t kept = 0;    // the earlier kept row with the largest cosine; of equal ones the first
  double cosine = 0;  // cosine of row and kept
};

struct DuplicateOptions {
  double threshold = 0.9;  // above 0, at most 1
  ClusterRun run = {};
};

// Returns the rows to drop, in ascending order; all other rows are kept. Rows are visited in order: a row is dropped if
// its cosine with an earlier kept row is at least the threshold. So no two kept rows have such a cosine, and each
// dropped row has such a kept row. The result is exact: a pair is skipped only if an upper bound on its cosine,
// computed from fewer numbers, is below the threshold.
BERT_API std::vector<Duplicate> find_duplicates(std::span<const float> vectors, size_t size,
                                                const DuplicateOptions& options = {});

struct CommunityOptions {
  double threshold = 0.75;  // above 0, at most 1
  size_t least_rows = 10;   // the fewest rows of a community, 1 or more
  ClusterRun run = {};
};

// A group of rows.
struct Community {
  std::vector<size_t> rows;     // the centre first, then by descending cosine with it; of equal ones the earlier row
                                // first
  std::vector<double> cosines;  // cosine of each row with the centre
};

// Returns groups of rows, the largest first. A group's first row is its centre; the cosine of each other row with the
// centre is at least the threshold. Rows become centres in the descending order of how many rows are that near; of
// equal ones the earlier row first. A row belongs to the first group that takes it; groups with fewer than least_rows
// rows are left out. The algorithm is sentence-transformers' community_detection, except that a row in an earlier group
// is never a centre. Equal rows are compared once.
BERT_API std::vector<Community> find_communities(std::span<const float> vectors, size_t size,
                                                 const CommunityOptions& options = {});

struct KMeansOptions {
  size_t clusters = 8;           // the most clusters, from 1 to the number of rows
  uint64_t seed = 0;             // for choosing the first centres
  size_t most_iterations = 100;  // 1 or more
  ClusterRun run = {};
};

struct KMeans {
  std::vector<uint32_t> clusters;  // cluster of each row, [rows]; cluster 0 is the largest; of equal ones, that with
                                   // the earlier rows first
  std::vector<double> cosines;     // cosine of each row with its centre, [rows]
  std::vector<float> centers;      // [clusters, size]: the means of the clusters' rows
  std::vector<size_t> sizes;       // rows of each cluster; there are fewer clusters than requested if fewer rows differ
  double inertia = 0;              // the sum over rows of the squared distance to their centre
  size_t iterations = 0;
  bool has_converged = false;  // no row changed its cluster in the last iteration
};

// Clusters rows, scaled to length 1, by Lloyd's algorithm. k-means++ chooses the first centres among all rows, or among
// an even sample of 32 rows per cluster and at least 16,384. A row goes to the nearest centre, of equal ones the first;
// a cluster that loses all its rows gets the row that is farthest from its centre.
// Source: Arthur and Vassilvitskii 2007, k-means++: The Advantages of Careful Seeding.
BERT_API KMeans k_means(std::span<const float> vectors, size_t size, const KMeansOptions& options = {});

}  // namespace bert
