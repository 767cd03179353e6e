// Exact search: reads all rows once, keeps for each query the rows that can be among the best, and scores these with
// their floats in float64. Stateless.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bert/vectors.h"
#include "engine/base/thread_pool.h"
#include "engine/kernels/scan_kernel.h"
#include "tasks/search/row_builder.h"

namespace bert {

// Views of all rows, as made by RowBuilder.
struct RowsView {
  ScanRows scan = ScanRows::kFloat32;
  size_t rows = 0;
  size_t size = 0;                     // numbers of a vector, without padding
  const float* floats = nullptr;       // [rows, padded_floats(size)]
  const std::byte* small = nullptr;    // [rows, small_row_bytes(scan, size)], 64-byte aligned; null for floats
  const Int8Row* int8_rows = nullptr;  // [rows]; null unless `scan` is kInt8
  RowLimits limits;
};

// A row that can be among the best, and its score in the scan.
struct Candidate {
  float score;
  size_t row;
};

// Returns the rows that can be among the best for each query, unordered: all rows whose score is so close to the
// keep-th largest that the scan's rounding could have changed their order. For kBinary, exactly the `keep` rows (or
// all, if there are fewer) with the fewest different signs; of equal ones the first.   queries: [queries, size], finite
std::vector<std::vector<Candidate>> find_candidates(const ScanKernels& kernels, const RowsView& rows,
                                                    std::span<const float> queries, size_t keep, ThreadPool& pool);

// Returns the best candidates, scored with their floats. Throws Error for queries that are not finite or not whole
// vectors.
std::vector<std::vector<SearchHit>> search_rows(const ScanKernels& kernels, const RowsView& rows,
                                                std::span<const float> queries, const SearchOptions& options,
                                                ThreadPool& pool);

}  // namespace bert
