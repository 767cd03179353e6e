#include "engine/checkpoint/shard_index.h"

#include <gtest/gtest.h>

#include "bert/error.h"
#include "tests/support/expect_error.h"

namespace bert {
namespace {

using test::error_of;

TEST(ShardIndex, ListsTensorsByNameAndShardsByMention) {
  const ShardIndex index = parse_shard_index(
      R"({"metadata": {"total_size": 12, "total_parameters": 1.5, "x": [null, {"y": "z"}]},
          "weight_map": {"b": "two.safetensors", "a": "one.safetensors", "\u0063": "two.safetensors"}, "other": [1]})",
      "x");
  ASSERT_EQ(index.shards.size(), 2u);
  EXPECT_EQ(index.shards[0], "two.safetensors");
  EXPECT_EQ(index.shards[1], "one.safetensors");
  ASSERT_EQ(index.tensors.size(), 3u);
  EXPECT_EQ(index.tensors[0], (std::pair<std::string_view, size_t>("a", 1)));
  EXPECT_EQ(index.tensors[1], (std::pair<std::string_view, size_t>("b", 0)));
  EXPECT_EQ(index.tensors[2], (std::pair<std::string_view, size_t>("c", 0)));
  EXPECT_EQ(index.total_size_bytes, 12u);
}

TEST(ShardIndex, TakesATotalSizeThatIsNoIntegerAsNotGiven) {
  for (const std::string total : {"12.0", "-1", "\"12\"", "null", "99999999999999999999", "1e3"}) {
    const ShardIndex index = parse_shard_index(R"({"metadata":{"total_size":)" + total + R"(},"weight_map":{}})", "x");
    EXPECT_EQ(index.total_size_bytes, std::nullopt) << total;
  }
}

TEST(ShardIndex, RefusesBadIndexes) {
  const std::string deep(10, '[');
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "byte 0: found the end of the text, expected the index's opening brace"},
      {"[]", "byte 0: found '[]', expected the index's opening brace"},
      {"{}", "no 'weight_map', expected one"},
      {R"({"metadata":{}})", "no 'weight_map', expected one"},
      {R"({"weight_map":[]})", "expected an object after 'weight_map'"},
      {R"({"weight_map":null})", "expected an object after 'weight_map'"},
      {R"({"weight_map":{"a":1}})", "expected a string, the file of tensor 'a'"},
      {R"({"weight_map":{"a":null}})", "expected a string, the file of tensor 'a'"},
      {R"({"weight_map":{"a":["x.safetensors"]}})", "expected a string, the file of tensor 'a'"},
      {R"({"weight_map":{"a":"x.safetensors","a":"x.safetensors"}})", "duplicate key 'a'"},
      {R"({"weight_map":{"a":"x.safetensors","\u0061":"y.safetensors"}})", "duplicate key 'a'"},
      {R"({"weight_map":{},"weight_map":{}})", "duplicate key 'weight_map'"},
      {R"({"weight_map":{},"metadata":{},"metadata":{}})", "duplicate key 'metadata'"},
      {R"({"weight_map":{},"metadata":{"total_size":1,"total_size":1}})", "duplicate key 'total_size'"},
      {R"({"weight_map":{},"metadata":[]})", "expected an object after 'metadata'"},
      {R"({"weight_map":{},"metadata":{"a":)" + deep, "nested too deep"},
      {R"({"weight_map":{},"x":)" + deep, "nested too deep"},
      {R"({"weight_map":{}} x)", "after the JSON"},
      {R"({"weight_map":{")" + std::string(1025, 'n') + R"(":"x.safetensors"}})", "a tensor's name of 1025 bytes"},
      {"{\"weight_map\":{\"\x80\":1}}", "expected UTF-8"},
  };
  for (const auto& [text, expected] : cases) {
    const std::string error = error_of([&json = text] { parse_shard_index(json, "model.safetensors.index.json"); });
    EXPECT_NE(error.find(expected), std::string::npos) << text << ": " << error;
    EXPECT_EQ(error.find("'model.safetensors.index.json'"), 0u) << error;
  }
}

TEST(ShardIndex, RefusesFilesThatAreNoPlainName) {
  const std::vector<std::string> names = {"",
                                          ".safetensors",
                                          "..",
                                          ".",
                                          "/etc/passwd",
                                          "/model.safetensors",
                                          "../model.safetensors",
                                          "a/b.safetensors",
                                          "./model.safetensors",
                                          "a/../b.safetensors",
                                          "..\\\\model.safetensors",
                                          "C:model.safetensors",
                                          "~/model.safetensors",
                                          "model.bin",
                                          "model.safetensors ",
                                          "model.safetensors\\n",
                                          "model\\u0000.safetensors",
                                          "\\u002e\\u002e\\u002fx.safetensors",
                                          "-rf.safetensors",
                                          "_x.safetensors",
                                          "\u00e9.safetensors",
                                          "$HOME.safetensors",
                                          "a b.safetensors",
                                          "//x.safetensors",
                                          "file:x.safetensors",
                                          "model.SAFETENSORS",
                                          "/dev/zero",
                                          "/proc/self/mem",
                                          std::string(4096, 'a') + ".safetensors",
                                          std::string(244, 'a') + ".safetensors"};
  for (const std::string& name : names) {
    const std::string text = R"({"weight_map":{"weight":")" + name + R"("}})";
    const std::string error = error_of([&] { parse_shard_index(text, "x"); });
    EXPECT_NE(error.find("tensor 'weight' is in '"), std::string::npos) << name << ": " << error;
    EXPECT_NE(error.find("expected a plain file name that ends with '.safetensors'"), std::string::npos) << error;
    EXPECT_LT(error.size(), 600u);
  }
}

TEST(ShardIndex, LimitsSizesAndNumbers) {
  EXPECT_NE(error_of([] {
              parse_shard_index(std::string(kMaxIndexBytes + 1, ' '), "x");
            }).find("33554433 bytes, expected at most"),
            std::string::npos);
  std::string shards = R"({"weight_map":{)";
  for (size_t i = 0; i <= kMaxShards; ++i) {
    shards += "\"" + std::to_string(i) + "\":\"" + std::to_string(i) + ".safetensors\",";
  }
  shards.back() = '}';
  EXPECT_NE(error_of([&] { parse_shard_index(shards + "}", "x"); }).find("more than 1000 files"), std::string::npos);
  std::string tensors = R"({"weight_map":{)";
  for (size_t i = 0; i <= 100'000; ++i) tensors += "\"" + std::to_string(i) + "\":\"x.safetensors\",";
  tensors.back() = '}';
  EXPECT_NE(error_of([&] { parse_shard_index(tensors + "}", "x"); }).find("more than 100000 tensors"),
            std::string::npos);
}

}  // namespace
}  // namespace bert
