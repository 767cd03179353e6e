#include "engine/checkpoint/shard_index.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <system_error>

#include "bert/error.h"
#include "engine/base/file.h"
#include "engine/base/json/json_scanner.h"
#include "engine/base/quote.h"

namespace bert {
namespace {

constexpr size_t kMaxTensors = 100'000;
constexpr size_t kMaxNameBytes = 1024;
constexpr size_t kMaxKeys = 1000;  // in addition to the tensors
constexpr int kMaxSkippedDepth = 4;
constexpr std::string_view kExtension = ".safetensors";

class IndexParser {
 public:
  IndexParser(std::string text, std::string_view source) : source_(source) { result_.text = std::move(text); }

  ShardIndex parse() {
    JsonScanner scanner(result_.text, source_, 0);
    bool has_weight_map = false;
    size_t keys = 0;
    scanner.object("the index's opening brace", [&](std::string_view key) {
      count_key(scanner, keys);
      if (key == "weight_map") {
        has_weight_map = true;
        read_weight_map(scanner);
      } else if (key == "metadata") {
        read_metadata(scanner);
      } else {
        scanner.skip_value(kMaxSkippedDepth);
      }
    });
    scanner.end();
    if (!has_weight_map) scanner.refuse("no 'weight_map', expected one");
    std::sort(result_.tensors.begin(), result_.tensors.end());
    return std::move(result_);
  }

 private:
  void read_weight_map(JsonScanner& scanner) {
    // Python silently keeps the last of two entries with one name; here it is an error.
    scanner.object("an object after 'weight_map'", [&](std::string_view name) {
      if (result_.tensors.size() >= kMaxTensors) {
        scanner.refuse("more than " + std::to_string(kMaxTensors) + " tensors");
      }
      if (name.size() > kMaxNameBytes) {
        scanner.refuse("a tensor's name of " + std::to_string(name.size()) + " bytes, expected at most " +
                       std::to_string(kMaxNameBytes));
      }
      const std::string_view shard = scanner.string("a string, the file of tensor " + quote(name));
      if (!is_plain_file_name(shard) || !shard.ends_with(kExtension)) {
        scanner.refuse("tensor " + quote(name) + " is in " + quote(shard) +
                       ", expected a plain file name that ends with '.safetensors'");
      }
      const auto [place, is_new] = index_of_shard_.emplace(shard, result_.shards.size());
      if (is_new) {
        if (result_.shards.size() >= kMaxShards) scanner.refuse("more than " + std::to_string(kMaxShards) + " files");
        result_.shards.push_back(shard);
      }
      result_.tensors.emplace_back(name, place->second);
    });
  }

  void read_metadata(JsonScanner& scanner) {
    size_t keys = 0;
    scanner.object("an object after 'metadata'", [&](std::string_view key) {
      count_key(scanner, keys);
      const std::string_view value = scanner.skip_value(kMaxSkippedDepth);
      if (key != "total_size") return;
      // Some writers give a float. The number is only compared, so anything but an integer is ignored.
      uint64_t total = 0;
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), total);
      if (error == std::errc() && end == value.data() + value.size()) result_.total_size_bytes = total;
    });
  }

  static void count_key(JsonScanner& scanner, size_t& keys) {
    if (++keys > kMaxKeys) scanner.refuse("more than " + std::to_string(kMaxKeys) + " keys");
  }

  std::string_view source_;
  ShardIndex result_;
  std::map<std::string_view, size_t> index_of_shard_;
};

}  // namespace

ShardIndex parse_shard_index(std::string text, std::string_view source) {
  if (text.size() > kMaxIndexBytes) {
    throw Error(ErrorCode::kInvalidFile, quote_path(source) + ": " + std::to_string(text.size()) +
                                             " bytes, expected at most " + std::to_string(kMaxIndexBytes));
  }
  return IndexParser(std::move(text), source).parse();
}

}  // namespace bert
