// The file of a VectorIndex, little-endian:
//
//   IndexHead, the label, padding to 64 bytes
//   float32 [rows, padded_floats(size)]                  every row begins at a multiple of 64 bytes
//   [rows, small_row_bytes(scan, size)], padding to 64   the rows that a search reads, if it does not read the floats
//   Int8Row [rows], padding to 64                        with int8 rows
//   IndexTail                                            written last: a file without it is incomplete
//
// Every place follows from the head and the tail. Rows of integers are multiples of 64 bytes too; rows of signs of 8,
// because padding 48 bytes to 64 would make a search a third slower.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "bert/vectors.h"
#include "engine/search/scan.h"

namespace bert {

struct IndexHead {
  char magic[8];  // kIndexMagic
  uint32_t version;
  uint32_t scan;  // ScanRows
  uint64_t size;
  uint64_t label_bytes;
};

struct IndexTail {
  uint64_t rows;
  uint64_t unusable_rows;
  double norm;  // RowLimits
  double rounding_error;
  char magic[8];  // kIndexEnd
};

inline constexpr std::string_view kIndexMagic = "BERTVIDX";
inline constexpr std::string_view kIndexEnd = "COMPLETE";
inline constexpr uint32_t kIndexVersion = 1;

struct IndexContent {
  RowsView rows;
  size_t unusable_rows = 0;
  std::string_view label;
};

// Views of the file's bytes, which are 64-byte aligned. name: for messages. Throws Error(kInvalidFile).
IndexContent parse_index(std::span<const std::byte> bytes, const std::string& name);

}  // namespace bert
