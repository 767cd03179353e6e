// Fuzzes model.safetensors.index.json.
#include "engine/checkpoint/shard_index.h"

#include <string>

#include "engine/base/file.h"
#include "tests/fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bert;
  fuzz::parse_or_refuse([&] {
    const ShardIndex index = parse_shard_index(std::string(fuzz::text_of(data, size)), "fuzz.index.json");
    for (const std::string_view shard : index.shards) {
      fuzz::require(is_plain_file_name(shard), "a shard's name leads nowhere else");
    }
    std::string_view previous;
    for (const auto& [name, shard] : index.tensors) {
      fuzz::require(shard < index.shards.size(), "a tensor lies in a shard");
      fuzz::require(previous.data() == nullptr || previous < name, "tensors are sorted, each is there once");
      previous = name;
    }
  });
  return 0;
}
