// The index of a sharded checkpoint, model.safetensors.index.json: which file holds which tensor.
// File names are checked to be plain names here; resolve_confined checks that links stay in the directory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bert {

struct ShardIndex {
  std::string text;                                          // contains the names below
  std::vector<std::string_view> shards;                      // in the order of their first occurrence
  std::vector<std::pair<std::string_view, size_t>> tensors;  // name, index of its shard; sorted by name
  std::optional<uint64_t> total_size_bytes;                  // metadata.total_size

  ShardIndex() = default;
  ShardIndex(const ShardIndex&) = delete;  // a copy's names would point into the original
  ShardIndex& operator=(const ShardIndex&) = delete;
  ShardIndex(ShardIndex&&) = default;
  ShardIndex& operator=(ShardIndex&&) = default;
};

inline constexpr size_t kMaxIndexBytes = 32u << 20;
inline constexpr size_t kMaxShards = 1000;

// Parses the index. Throws Error(kInvalidFile) with `source`, the byte, found and expected.
ShardIndex parse_shard_index(std::string text, std::string_view source);

}  // namespace bert
