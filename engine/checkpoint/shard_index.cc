#include "engine/checkpoint/shard_index.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <system_error>

#include "bert/error.h"
#include "engine/base/file.h"
#include "engine/base/json_scanner.h"
#include "engine/base/quote.h"

namespace bert {
namespace {

constexpr size_t kMaxTensors = 100'000;
constexpr size_t kMaxNameBytes = 1024;
constexpr size_t kMaxKeys = 1000;  // beside the tensors
constexpr int kMaxSkippedDepth = 4;
constexpr std::string_view kExtension = ".safetensors";

class IndexParser {
 public:
  IndexParser(std::string text, std::string_view source) : source_(source) { result_.text = std::move(text); }

  ShardIndex parse() {
    JsonScanner scanner(result_.text, source_, 0);
    std::set<std::string_view> keys;
    scanner.object("the index's opening brace", [&](std::string_view key) {
      check_key(scanner, keys, key);
      if (key == "weight_map") {
        read_weight_map(scanner);
      } else if (key == "metadata") {
        read_metadata(scanner);
      } else {
        scanner.skip_value(kMaxSkippedDepth);
      }
    });
    scanner.end();
    if (!keys.contains("weight_map")) scanner.refuse("no 'weight_map', expected one");
    sort_tensors();
    return std::move(result_);
  }

 private:
  void read_weight_map(JsonScanner& scanner) {
    scanner.object("an object behind 'weight_map'", [&](std::string_view name) {
      if (result_.tensors.size() >= kMaxTensors) {
        scanner.refuse("more than " + std::to_string(kMaxTensors) + " tensors");
      }
      if (name.size() > kMaxNameBytes) {
        scanner.refuse("a tensor's name of " + std::to_string(name.size()) + " bytes, expected at most " +
                       std::to_string(kMaxNameBytes));
      }
      const std::string_view shard = scanner.string("a string, the file that holds tensor " + quote(name));
      if (!is_plain_file_name(shard) || !shard.ends_with(kExtension)) {
        scanner.refuse("tensor " + quote(name) + " is said to lie in " + quote(shard) +
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
    std::set<std::string_view> keys;
    scanner.object("an object behind 'metadata'", [&](std::string_view key) {
      check_key(scanner, keys, key);
      const std::string_view value = scanner.skip_value(kMaxSkippedDepth);
      if (key != "total_size") return;
      // Some writers give a float. The figure is only compared, so what is no integer counts as not given.
      uint64_t total = 0;
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), total);
      if (error == std::errc() && end == value.data() + value.size()) result_.total_size_bytes = total;
    });
  }

  static void check_key(JsonScanner& scanner, std::set<std::string_view>& keys, std::string_view key) {
    if (!keys.insert(key).second) scanner.refuse("duplicate key " + quote(key));
    if (keys.size() > kMaxKeys) scanner.refuse("more than " + std::to_string(kMaxKeys) + " keys");
  }

  // Python keeps the last of two entries of one name in silence; here it is an error.
  void sort_tensors() {
    auto& tensors = result_.tensors;
    std::sort(tensors.begin(), tensors.end());
    const auto twin = std::adjacent_find(tensors.begin(), tensors.end(),
                                         [](const auto& a, const auto& b) { return a.first == b.first; });
    if (twin == tensors.end()) return;
    throw Error(ErrorCode::kInvalidFile, quote_path(source_) + ": tensor " + quote(twin->first) +
                                             " stands in 'weight_map' twice, expected once");
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
