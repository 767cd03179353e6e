// The kernels of exact search. Included after products.inl.h, whose 8-bit products for few rows they use.
#pragma once

#include "engine/kernels/scan_kernel.h"

namespace bert {
namespace {

static_assert(kScanFloats == 16 && kScanInts % (16 * 4) == 0);

constexpr size_t kScanPrefetchBytes = 4096;

inline void prefetch_ahead(const void* at) {
  __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<uintptr_t>(at) + kScanPrefetchBytes), 0, 3);
}

// Lane i of accumulator 0 adds the products i, i + 64, …; accumulators 1 to 3 add the products 16, 32 and 48 further.
// Then accumulators 0 and 1, 2 and 3, and both sums are added, and sum_of adds the lanes.
inline float scan_dot(const float* query, const float* row, size_t size) {
  Lanes sums[4] = {set1(0.0f), set1(0.0f), set1(0.0f), set1(0.0f)};
  size_t i = 0;
  for (; i + 64 <= size; i += 64) {
#pragma GCC unroll 4
    for (size_t j = 0; j < 4; ++j) {
      prefetch_ahead(row + i + 16 * j);
      sums[j] = fma(load(query + i + 16 * j), load(row + i + 16 * j), sums[j]);
    }
  }
  for (size_t j = 0; i < size; i += 16, ++j) sums[j] = fma(load(query + i), load(row + i), sums[j]);
  return sum_of(add(add(sums[0], sums[1]), add(sums[2], sums[3])));
}

void scan_dots(const float* query, const float* rows, size_t size, size_t count, float* sums) {
  for (size_t row = 0; row < count; ++row) sums[row] = scan_dot(query, rows + row * size, size);
}

template <class Type>
void prepare_int8(const int8_t* query, size_t size, float* prepared) {
  auto* to = reinterpret_cast<typename Type::Activation*>(prepared);
  for (size_t i = 0; i < size; ++i) to[i] = static_cast<typename Type::Activation>(query[i] + 128);
}

// Computes row by row, so that memory is read in order; the lanes of four rows' sums are added together.
template <class Type>
void scan_dots_int8(const float* prepared, const int8_t* rows, size_t size, size_t count, int32_t* sums) {
  constexpr size_t kInputs = 16 * kInputsOfUnit<Type>;
  for (size_t row = 0; row < count; row += 4) {
    Lanes accumulators[4] = {set1(0.0f), set1(0.0f), set1(0.0f), set1(0.0f)};
    const size_t rest = count - row < 4 ? count - row : 4;
    for (size_t r = 0; r < rest; ++r, rows += size) {
      Lanes sum = set1(0.0f);
      const float* x = prepared;
      for (size_t i = 0; i < size; i += kInputs, x += 16) {
        prefetch_ahead(rows + i);
        sum = Type::multiply_add(load(x), Type::load16(rows + i), sum);
      }
      accumulators[r] = sum;
    }
    float four[4];
    Type::add_lanes(accumulators[0], accumulators[1], accumulators[2], accumulators[3], four);
    __builtin_memcpy(sums + row, four, rest * sizeof(float));
  }
}

// Bits are counted as the compiler's flags for each instruction set allow: on x86 with AVX2 or later by POPCNT, which
// is as fast as memory if the number of words is known.
template <size_t kWords>
void hamming_of(const uint64_t* query, const uint64_t* rows, size_t words, size_t count, int32_t* distances) {
  if (kWords != 0) words = kWords;
  for (size_t row = 0; row < count; ++row, rows += words) {
    prefetch_ahead(rows);
    int64_t bits = 0;
#pragma GCC unroll 16
    for (size_t i = 0; i < words; ++i) bits += __builtin_popcountll(query[i] ^ rows[i]);
    distances[row] = static_cast<int32_t>(bits);
  }
}

void scan_hamming(const uint64_t* query, const uint64_t* rows, size_t words, size_t count, int32_t* distances) {
  const auto of = words == 4    ? hamming_of<4>
                  : words == 6  ? hamming_of<6>
                  : words == 8  ? hamming_of<8>
                  : words == 12 ? hamming_of<12>
                  : words == 16 ? hamming_of<16>
                                : hamming_of<0>;
  of(query, rows, words, count, distances);
}

template <class Type>
constexpr ScanKernels make_scans(const char* name) {
  return {.name = name,
          .dot = scan_dots,
          .prepare_int8 = prepare_int8<Type>,
          .dot_int8 = scan_dots_int8<Type>,
          .hamming = scan_hamming};
}

}  // namespace
}  // namespace bert
