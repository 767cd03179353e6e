#include "tasks/search/scan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "bert/error.h"
#include "engine/base/aligned_buffer.h"

namespace bert {
namespace {

constexpr size_t kBlockRows = 256;  // rows scored at once; further queries read them from the cache
constexpr size_t kTaskBlocks = 16;
constexpr float kNoFloor = -std::numeric_limits<float>::infinity();

// A query in the same form as the rows.
struct PreparedQuery {
  const float* floats = nullptr;  // [padded_floats(size)]
  AlignedBuffer<float> int8;      // from ScanKernels::prepare_int8
  float int8_scale = 0;
  AlignedBuffer<uint64_t> signs;  // [sign_words(size)]
  double error = 0;               // upper bound of a score's error
};

// The candidates for one query that one thread found.
class Collector {
 public:
  void add(const float* scores, size_t count, size_t first_row, size_t keep, double error) {
    // Rarely any: a loop without branches finds that out faster.
    unsigned any = 0;
    for (size_t i = 0; i < count; ++i) any |= static_cast<unsigned>(scores[i] >= floor_);
    if (any == 0) return;
    for (size_t i = 0; i < count; ++i) {
      if (scores[i] >= floor_) candidates_.push_back({scores[i], first_row + i});
    }
    if (candidates_.size() > limit_) prune(keep, error);
  }

  // Drops rows that cannot be among the `keep` best: those whose score is more than two errors below the last of these;
  // if scores are exact, all below it.
  void prune(size_t keep, double error) {
    if (candidates_.size() <= keep) return;
    const auto last = candidates_.begin() + static_cast<std::ptrdiff_t>(keep) - 1;
    std::nth_element(candidates_.begin(), last, candidates_.end(), [](const Candidate& a, const Candidate& b) {
      return a.score != b.score ? a.score > b.score : a.row < b.row;
    });
    if (error == 0) {
      floor_ = last->score;
      candidates_.resize(keep);
    } else {
      floor_ = std::nextafter(static_cast<float>(last->score - 2 * error), kNoFloor);
      std::erase_if(candidates_, [&](const Candidate& one) { return one.score < floor_; });
    }
    limit_ = std::max(limit_, 2 * candidates_.size());
  }

  std::vector<Candidate>& candidates() { return candidates_; }

 private:
  float floor_ = kNoFloor;
  size_t limit_ = 1024;
  std::vector<Candidate> candidates_;
};

// Upper bounds of |score - query · row| for every row. floats: a sum of n products in any order has at most the error
// of n + 1 roundings of the sum of absolute products (Higham, Accuracy and Stability of Numerical Algorithms, section
// 3.1), which is at most the product of the lengths. int8: query · row - q · r = (query - q) · row + q · (row - r),
// each term at most the product of the lengths; scaling the exact integer rounds three times.
double float_error(size_t size, double query_norm, const RowLimits& limits) {
  constexpr double kRounding = 0x1p-24;
  const double terms = static_cast<double>(size) + 2;
  return 1.001 * terms * (kRounding * query_norm * limits.norm + 0x1p-149);
}

double int8_error(std::span<const float> query, std::span<const int8_t> values, float scale, const RowLimits& limits) {
  double difference = 0;
  double squares = 0;
  for (size_t i = 0; i < query.size(); ++i) {
    const double small = static_cast<double>(scale) * values[i];
    difference += (query[i] - small) * (query[i] - small);
    squares += small * small;
  }
  const double rounded = std::sqrt(squares);
  return 1.001 * (std::sqrt(difference) * limits.norm + rounded * limits.rounding_error +
                  0x1p-22 * rounded * (limits.norm + limits.rounding_error)) +
         0x1p-140;
}

PreparedQuery prepare(const ScanKernels& kernels, const RowsView& rows, std::span<const float> query,
                      const float* padded) {
  PreparedQuery prepared;
  prepared.floats = padded;
  if (rows.scan == ScanRows::kFloat32) prepared.error = float_error(rows.size, norm_of(query), rows.limits);
  if (rows.scan == ScanRows::kInt8) {
    AlignedBuffer<int8_t> values(padded_ints(rows.size));
    std::fill_n(values.data(), values.size(), int8_t{0});
    prepared.int8_scale = quantize_by_largest(query, {values.data(), query.size()});
    prepared.int8 = AlignedBuffer<float>(values.size());
    kernels.prepare_int8(values.data(), values.size(), prepared.int8.data());
    prepared.error = int8_error(query, {values.data(), query.size()}, prepared.int8_scale, rows.limits);
  }
  if (rows.scan == ScanRows::kBinary) {
    prepared.signs = AlignedBuffer<uint64_t>(sign_words(rows.size));
    signs_of(query, {prepared.signs.data(), prepared.signs.size()});
  }
  return prepared;
}

// Computes scores[i] of rows first + i; count is at most kBlockRows.
void score_block(const ScanKernels& kernels, const RowsView& rows, const PreparedQuery& query, size_t first,
                 size_t count, float* scores) {
  if (rows.scan == ScanRows::kFloat32) {
    const size_t size = padded_floats(rows.size);
    return kernels.dot(query.floats, rows.floats + first * size, size, count, scores);
  }
  const std::byte* small = rows.small + first * small_row_bytes(rows.scan, rows.size);
  int32_t sums[kBlockRows];
  if (rows.scan == ScanRows::kInt8) {
    const Int8Row* int8_rows = rows.int8_rows + first;
    kernels.dot_int8(query.int8.data(), reinterpret_cast<const int8_t*>(small), padded_ints(rows.size), count, sums);
    for (size_t i = 0; i < count; ++i) {
      const auto sum = static_cast<float>(sums[i] - 128 * int8_rows[i].sum);
      scores[i] = sum * int8_rows[i].scale * query.int8_scale;
    }
  } else {
    kernels.hamming(query.signs.data(), reinterpret_cast<const uint64_t*>(small), sign_words(rows.size), count, sums);
    for (size_t i = 0; i < count; ++i) scores[i] = static_cast<float>(-sums[i]);
  }
}

bool comes_first(const SearchHit& a, const SearchHit& b) {
  return a.score != b.score ? a.score > b.score : a.row < b.row;
}

double exact_score(std::span<const float> query, const float* row) {
  double sum = 0;
  for (size_t i = 0; i < query.size(); ++i) sum += static_cast<double>(query[i]) * row[i];
  return sum;
}

void check_queries(std::span<const float> queries, size_t size) {
  if (queries.size() % size != 0) {
    throw Error(ErrorCode::kInvalidArgument,
                std::to_string(queries.size()) + " numbers of queries, expected vectors of " + std::to_string(size));
  }
  for (size_t first = 0; first < queries.size(); first += size) {
    const double norm = norm_of(queries.subspan(first, size));
    if (norm <= kMaxNorm) continue;  // false for NaN
    throw Error(ErrorCode::kInvalidArgument,
                "query " + std::to_string(first / size) + " has a NaN, an infinity or a length above 1e18");
  }
}

}  // namespace

std::vector<std::vector<Candidate>> find_candidates(const ScanKernels& kernels, const RowsView& rows,
                                                    std::span<const float> queries, size_t keep, ThreadPool& pool) {
  const size_t count = queries.size() / rows.size;
  const size_t padded_size = padded_floats(rows.size);
  AlignedBuffer<float> padded(count * padded_size);
  std::fill_n(padded.data(), padded.size(), 0.0f);
  std::vector<PreparedQuery> prepared;
  for (size_t query = 0; query < count; ++query) {
    const std::span<const float> numbers = queries.subspan(query * rows.size, rows.size);
    float* to = padded.data() + query * padded_size;
    std::copy(numbers.begin(), numbers.end(), to);
    prepared.push_back(prepare(kernels, rows, numbers, to));
  }

  std::vector<std::vector<Collector>> collectors(pool.size(), std::vector<Collector>(count));
  const auto scan = [&](size_t first_row, size_t task_rows, size_t slot) {
    alignas(kAlignment) float scores[kBlockRows];
    for (size_t first = first_row; first < first_row + task_rows; first += kBlockRows) {
      const size_t block = std::min(kBlockRows, first_row + task_rows - first);
      for (size_t query = 0; query < count; ++query) {
        score_block(kernels, rows, prepared[query], first, block, scores);
        collectors[slot][query].add(scores, block, first, keep, prepared[query].error);
      }
    }
  };
  constexpr size_t kTaskRows = kTaskBlocks * kBlockRows;
  pool.run((rows.rows + kTaskRows - 1) / kTaskRows, [&](size_t task, size_t slot) {
    scan(task * kTaskRows, std::min(kTaskRows, rows.rows - task * kTaskRows), slot);
  });

  std::vector<std::vector<Candidate>> found(count);
  for (size_t query = 0; query < count; ++query) {
    Collector& all = collectors[0][query];
    for (size_t slot = 1; slot < collectors.size(); ++slot) {
      std::vector<Candidate>& more = collectors[slot][query].candidates();
      all.candidates().insert(all.candidates().end(), more.begin(), more.end());
    }
    all.prune(keep, prepared[query].error);
    found[query] = std::move(all.candidates());
  }
  return found;
}

std::vector<std::vector<SearchHit>> search_rows(const ScanKernels& kernels, const RowsView& rows,
                                                std::span<const float> queries, const SearchOptions& options,
                                                ThreadPool& pool) {
  check_queries(queries, rows.size);
  if (options.top == 0) throw Error(ErrorCode::kInvalidArgument, "the 0 best rows, expected 1 or more");
  size_t keep = options.top;
  if (rows.scan == ScanRows::kBinary) keep = std::max(keep, options.candidates == 0 ? 10 * keep : options.candidates);
  const std::vector<std::vector<Candidate>> candidates = find_candidates(kernels, rows, queries, keep, pool);
  std::vector<std::vector<SearchHit>> all(candidates.size());
  pool.run(candidates.size(), [&](size_t query, size_t) {
    std::vector<SearchHit>& hits = all[query];
    for (const Candidate& one : candidates[query]) {
      const float* row = rows.floats + one.row * padded_floats(rows.size);
      const double score = exact_score(queries.subspan(query * rows.size, rows.size), row);
      if (!std::isnan(score)) hits.push_back({one.row, score});
    }
    const size_t top = std::min(options.top, hits.size());
    std::partial_sort(hits.begin(), hits.begin() + static_cast<std::ptrdiff_t>(top), hits.end(), comes_first);
    hits.resize(top);
  });
  return all;
}

}  // namespace bert
