// Kernels of exact search: one query with consecutive rows of vectors, at the speed of reading the rows. All tables
// compute the same bits (docs/NUMERICS.md); they differ in speed only. Functions are stateless; the caller provides
// memory. The files that fill the tables are built with ISA flags, so this header includes nothing that has inline
// functions.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace bert {

// Rows of floats are padded with zeros to a multiple of this number.
inline constexpr size_t kScanFloats = 16;
// Rows of integers are padded with zeros to a multiple of this number.
inline constexpr size_t kScanInts = 64;

struct ScanKernels {
  const char* name;
  // sums[row] = query · row.   query: [size];  rows: [count, size];  size: a multiple of kScanFloats
  void (*dot)(const float* query, const float* rows, size_t size, size_t count, float* sums);
  // prepared: [size] floats of memory, which hold the query + 128 in the form that dot_int8 reads.
  void (*prepare_int8)(const int8_t* query, size_t size, float* prepared);
  // sums[row] = (query + 128) · row, exactly.   rows: [count, size];  size: a multiple of kScanInts
  void (*dot_int8)(const float* prepared, const int8_t* rows, size_t size, size_t count, int32_t* sums);
  // distances[row] = the number of bits in which query and row differ.   query: [words];  rows: [count, words]
  void (*hamming)(const uint64_t* query, const uint64_t* rows, size_t words, size_t count, int32_t* distances);
};

extern const ScanKernels kPortableScans;
#if defined(__x86_64__)
extern const ScanKernels kAvx2Scans;
extern const ScanKernels kAvxVnniScans;
extern const ScanKernels kAvx512Scans;
extern const ScanKernels kAvx512VnniScans;
#elif defined(__aarch64__)
extern const ScanKernels kNeonScans;
#elif defined(__wasm__)
extern const ScanKernels kWasmScans;
[[gnu::weak]] extern const ScanKernels kRelaxedScans;
#endif

}  // namespace bert
