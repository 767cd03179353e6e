// Near-duplicates and clusters among vectors, by the cosine of each with each.
//
//   for (const bert::Duplicate& one : bert::find_duplicates(vectors, size, {.threshold = 0.9})) drop(one.row);
//   const bert::KMeans groups = bert::k_means(vectors, size, {.clusters = 20});
//
// vectors: [rows, size]. A cosine is computed in float64 from the rows as they are, in one order; results are the same
// on every CPU and for every number of threads. A row of zeros has the cosine 0 with every other. Stateless; safe to
// call from many threads. Errors are bert::Error: a row with a NaN or an infinity, numbers that are not whole vectors,
// an option outside its range, more memory than `most_bytes`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bert/export.h"

namespace bert {

// How the functions of this header run.
struct ClusterRun {
  size_t threads = 0;     // 0: the cores that affinity and the container's limit allow
  size_t most_bytes = 0;  // memory besides the vectors that a call may need, checked before it begins; 0: any
  // Called by the caller's thread with the part of the work that is done, from 0 to 1. What it throws ends the call.
  std::function<void(double)> progress = {};
};

// A row that has an earlier kept row with a cosine of at least the threshold.
struct Duplicate {
  size_t row = 0;
  size_t kept = 0;    // the kept row before it with the largest cosine; of equal ones the first
  double cosine = 0;  // of the two
};

struct DuplicateOptions {
  double threshold = 0.9;  // above 0, at most 1
  ClusterRun run = {};
};

// The rows to drop, in ascending order; all others are kept. Rows are looked at in order: a row is dropped if a kept
// row before it has a cosine of at least the threshold with it. So no two kept rows have such a cosine, and each
// dropped row has a kept one. The result is that of all pairs, without exception: each pair is compared by an upper
// bound on its cosine from fewer numbers, and by all numbers where the bound reaches the threshold.
BERT_API std::vector<Duplicate> find_duplicates(std::span<const float> vectors, size_t size,
                                                const DuplicateOptions& options = {});

struct CommunityOptions {
  double threshold = 0.75;  // above 0, at most 1
  size_t least_rows = 10;   // of a community, 1 or more
  ClusterRun run = {};
};

// A group of rows.
struct Community {
  std::vector<size_t> rows;     // the centre first, the others by descending cosine with it, of equal ones the earlier
  std::vector<double> cosines;  // of each with the centre
};

// Groups of rows whose cosine with the group's first row, its centre, is at least the threshold; the largest group
// first. Centres are taken by the number of rows that near, the most first, of equal ones the earlier row; a row is in
// the first group that takes it, and a row in no group of least_rows is in none. It is sentence-transformers'
// community_detection, with centres that are in no earlier group. Equal rows are compared as one.
BERT_API std::vector<Community> find_communities(std::span<const float> vectors, size_t size,
                                                 const CommunityOptions& options = {});

struct KMeansOptions {
  size_t clusters = 8;           // the most, from 1 to the number of rows
  uint64_t seed = 0;             // of the first centres
  size_t most_iterations = 100;  // 1 or more
  ClusterRun run = {};
};

struct KMeans {
  std::vector<uint32_t> clusters;  // of each row, [rows]; the largest cluster is 0, of equal ones that of earlier rows
  std::vector<double> cosines;     // of each row with its centre, [rows]
  std::vector<float> centers;      // [clusters, size]: the means of their rows
  std::vector<size_t> sizes;       // rows of each cluster; fewer clusters than asked for if fewer rows differ
  double inertia = 0;              // the sum over rows of the squared distance to their centre
  size_t iterations = 0;
  bool has_converged = false;  // no row changed its cluster in the last iteration
};

// Lloyd's algorithm on rows scaled to length 1, whose first centres k-means++ chooses, among all rows or an even
// sample of 32 a cluster and at least 16,384. A row goes to the nearest centre, of equal ones the first; a cluster that
// loses all its rows gets the row that is farthest from its centre.
// Source: Arthur and Vassilvitskii 2007, k-means++: The Advantages of Careful Seeding.
BERT_API KMeans k_means(std::span<const float> vectors, size_t size, const KMeansOptions& options = {});

}  // namespace bert
