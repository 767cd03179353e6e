#include "engine/checkpoint/int8_weights.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <vector>

#include "engine/base/bit_cast.h"
#include "engine/base/thread_pool.h"
#include "engine/checkpoint/elements.h"

namespace bert {
namespace {

constexpr size_t kRowsPerTask = 32;
constexpr size_t kNone = SIZE_MAX;

// Computes round(clamp(weight / scale)), halves to even; scale = largest magnitude / 127.5. Returns false for a NaN or
// an infinity.
bool quantize_row(std::span<const float> row, int8_t* weights, float& scale) {
  int32_t largest = 0;  // the bits of magnitudes have the same order as the magnitudes
  for (const float value : row) largest = std::max(largest, bit_cast<int32_t>(value) & 0x7FFFFFFF);
  scale = bit_cast<float>(largest) / 127.5f;
  if (scale == 0) scale = std::numeric_limits<float>::epsilon();
  constexpr float kRounding = 0x1.8p23f;  // adding it rounds to an integer, in the last bits
  for (size_t i = 0; i < row.size(); ++i) {
    float value = row[i] / scale;
    value = value > -128.0f ? value : -128.0f;
    value = value < 127.0f ? value : 127.0f;
    weights[i] = static_cast<int8_t>(bit_cast<int32_t>(value + kRounding) - bit_cast<int32_t>(kRounding));
  }
  return largest < 0x7F800000;
}

int32_t sum_of(const int8_t* row, size_t count) {
  int32_t sum = 0;
  for (size_t i = 0; i < count; ++i) sum += row[i];
  return sum;
}

// Returns false for a NaN or an infinity.
bool do_rows(const Int8Work& work, size_t begin, size_t end) {
  std::vector<float> row(work.weights == nullptr ? 0 : work.cols);
  bool is_finite = true;
  for (size_t i = begin; i < end; ++i) {
    const auto* weights = reinterpret_cast<const int8_t*>(work.source) + i * work.cols;
    if (work.weights != nullptr) {
      read_row(work.source, work.dtype, i, work.cols, row.data());
      is_finite &= quantize_row(row, work.weights + i * work.cols, work.scales[i]);
      weights = work.weights + i * work.cols;
    }
    work.sums[i] = sum_of(weights, work.cols);
  }
  return is_finite;
}

}  // namespace

std::optional<size_t> run_int8_work(std::span<const Int8Work> all, size_t threads) {
  std::vector<size_t> ends;  // end of each tensor's tasks
  for (const Int8Work& work : all) {
    ends.push_back((ends.empty() ? 0 : ends.back()) + (work.rows + kRowsPerTask - 1) / kRowsPerTask);
  }
  if (ends.empty()) return std::nullopt;
  std::atomic<size_t> refused{kNone};
  ThreadPool pool(threads, ThreadPool::Missing::kIsAccepted);
  pool.run(ends.back(), [&](size_t task, size_t) {
    const auto index = static_cast<size_t>(std::upper_bound(ends.begin(), ends.end(), task) - ends.begin());
    const Int8Work& work = all[index];
    const size_t begin = (task - (index == 0 ? 0 : ends[index - 1])) * kRowsPerTask;
    if (!do_rows(work, begin, std::min(begin + kRowsPerTask, work.rows))) refused = index;
  });
  return refused == kNone ? std::nullopt : std::optional<size_t>(refused);
}

}  // namespace bert
