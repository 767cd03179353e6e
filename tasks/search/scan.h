// Exact search: reads all rows once, keeps for each query the rows that can be among the best, and scores those again
// with their floats in float64. Stateless.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bert/vectors.h"
#include "engine/base/thread_pool.h"
#include "engine/kernels/scan_kernel.h"
#include "tasks/search/row_builder.h"

namespace bert {

// Views of all rows, as RowBuilder makes them.
struct RowsView {
  ScanRows scan = ScanRows::kFloat32;
  size_t rows = 0;
  size_t size = 0;                     // numbers of a vector, without padding
  const float* floats = nullptr;       // [rows, padded_floats(size)]
  const std::byte* small = nullptr;    // [rows, small_row_bytes(scan, size)], 64-byte aligned; null for floats
  const Int8Row* int8_rows = nullptr;  // [rows]; null if `scan` is another
  RowLimits limits;
};

// A row that can be among the best, and its score by what the scan reads.
struct Candidate {
  float score;
  size_t row;
};

// The rows that can be among the best for each query, in no order: all whose score is close enough to the keep-th
// largest that the scan's rounding could have put them behind it. For kBinary exactly the `keep` rows, or all if there
// are fewer, with the fewest different signs, and of equal ones the first.   queries: [queries, size], finite
std::vector<std::vector<Candidate>> find_candidates(const ScanKernels& kernels, const RowsView& rows,
                                                    std::span<const float> queries, size_t keep, ThreadPool& pool);

// The best of the candidates by their floats. Throws Error for queries that are not finite or not whole vectors.
std::vector<std::vector<SearchHit>> search_rows(const ScanKernels& kernels, const RowsView& rows,
                                                std::span<const float> queries, const SearchOptions& options,
                                                ThreadPool& pool);

}  // namespace bert
