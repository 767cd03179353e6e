// The file of a VectorIndex, little-endian:
//
//   IndexHead, the label, padding to 64 bytes
//   float32 [rows, padded_floats(size)]                  every row begins at a multiple of 64 bytes
//   [rows, small_row_bytes(scan, size)], padding to 64   the rows that a search reads, if it does not read the floats
//   Int8Row [rows], padding to 64                        with int8 rows
//   uint64 [blocks]                                      XXH64 of each kIndexBlock bytes from the file's begin to here
//   IndexTail                                            written last: a file without it is incomplete
//
// Version 1 had no checksums, also not in the tail. Every place follows from the head and the tail. Rows of integers
// are also multiples of 64 bytes. Rows of signs are multiples of 8, because padding 48 bytes to 64 would make a search
// a third slower.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "bert/vectors.h"
#include "engine/base/thread_pool.h"
#include "tasks/search/scan.h"

namespace bert {

inline constexpr std::string_view kIndexMagic = "BERTVIDX";
inline constexpr size_t kIndexBlock = size_t{1} << 20;

struct IndexContent {
  RowsView rows;
  size_t unusable_rows = 0;
  std::string_view label;
  std::span<const std::byte> body;       // the bytes of the checksums
  std::span<const std::byte> checksums;  // uint64 [blocks]; empty in version 1
};

// Returns views of the file's bytes, which must be 64-byte aligned. Checks the head, the tail and their counts, not the
// rows. name: for errors. Throws Error(kInvalidFile).
IndexContent parse_index(std::span<const std::byte> bytes, const std::string& name);

// Reads everything once: checks the checksums, and that each row is finite, except for as many rows of NaN as the tail
// counts. Throws Error(kInvalidFile).
void check_index(const IndexContent& content, const std::string& name, ThreadPool& pool);

}  // namespace bert
