// The safetensors format: u64 length of the header | header, JSON | data. Parses an image in memory into a list of
// tensors that point into it. Every rule is checked first: no gap, no overlap, no byte outside the file, sizes that
// match the shapes. Parsing needs the header's size plus about 120 bytes per tensor. A plain value after parsing; any
// number of threads may read it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/aligned_buffer.h"
#include "engine/tensor/dtype.h"

namespace bert {

// An element type of a file. A type without a DType can be listed, but not used.
struct StorageType {
  std::string_view name;  // "F32", "F8_E4M3", …
  size_t bits;
  std::optional<DType> dtype;
};

// One tensor of a checkpoint. Views: the Checkpoint (or Safetensors and its image) keeps the memory alive.
struct StoredTensor {
  std::string_view name;  // as in the file, unescaped
  const StorageType* type = nullptr;
  std::span<const size_t> shape;    // [] is a scalar
  std::span<const std::byte> data;  // any alignment
  size_t file = 0;                  // index in Checkpoint::files()

  size_t elements() const { return data.size() * 8 / type->bits; }
};

struct SafetensorsLimits {
  size_t max_header_bytes = 100'000'000;
  size_t max_tensors = 100'000;
  size_t max_rank = 8;
  size_t max_name_bytes = 1024;
};

struct Safetensors {
  std::vector<StoredTensor> tensors;  // in the order of their data

  AlignedBuffer<char> header;  // a copy that contains the names, because a mapped file can change
  std::vector<size_t> dimensions;
};

// Parses an image. Throws Error(kInvalidFile) with `source`, the tensor, found and expected.
Safetensors parse_safetensors(std::span<const std::byte> image, std::string_view source,
                              const SafetensorsLimits& limits = {});

// Returns "[768, 3072]", for errors and tables.
std::string shape_text(std::span<const size_t> shape);

}  // namespace bert
