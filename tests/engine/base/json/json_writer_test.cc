#include "engine/base/json/json_writer.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <nlohmann/json.hpp>

namespace bert {
namespace {

TEST(JsonWriter, WritesMembersInTheOrderOfTheCalls) {
  JsonWriter object;
  object.string("text", "a \"b\"\n");
  object.number("count", int32_t{-3});
  object.number("mean", 0.1f);
  object.boolean("is_last", true);
  object.strings("words", {"x", "y"});
  const std::array<float, 2> values = {1, 0.5f};
  object.numbers<float>("values", values);
  EXPECT_EQ(object.take(), R"({"text":"a \"b\"\n","count":-3,"mean":0.1,"is_last":true,"words":["x","y"],)"
                           R"("values":[1,0.5]})");
}

TEST(JsonWriter, IsEmptyAfterTake) {
  JsonWriter object;
  EXPECT_EQ(object.take(), "{}");
  object.number("a", uint64_t{1});
  EXPECT_EQ(object.take(), R"({"a":1})");
  EXPECT_EQ(object.take(), "{}");
}

TEST(JsonWriter, WritesFloatsThatReadBackAsTheSameFloat) {
  for (const float value : {0.1f, 1e-45f, -3.4028235e38f, 16777217.0f, 1.0f / 3}) {
    std::string text;
    append_number(text, value);
    EXPECT_EQ(static_cast<float>(nlohmann::json::parse(text).get<double>()), value) << text;
  }
  std::string text;
  append_number(text, std::numeric_limits<int64_t>::min());
  EXPECT_EQ(text, "-9223372036854775808");
}

TEST(JsonWriter, ReplacesBytesThatAreNotUtf8) {
  std::string text;
  append_string(text, "a\xFF");
  EXPECT_EQ(text, "\"a\uFFFD\"");
  // As in nlohmann's writer, the longest beginning of a character becomes one replacement.
  for (const std::string bytes :
       {"\xE2\x82 ", "\xF0\x90\x8D", "\xED\xA0\x80", "\xC0\x80", "\xF4\x90\x80\x80", "\x01\b\f\n\r\t\x7F/"}) {
    std::string written;
    append_string(written, bytes);
    EXPECT_EQ(written, nlohmann::json(bytes).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
}

TEST(JsonWriter, NestsTensorsByTheirShape) {
  const std::array<float, 6> values = {1, 2, 3, 4, 5, 6};
  const auto written = [&](std::span<const float> numbers, std::vector<size_t> shape) {
    std::string text;
    append_tensor(text, numbers, shape);
    return text;
  };
  EXPECT_EQ(written(values, {2, 3}), "[[1,2,3],[4,5,6]]");
  EXPECT_EQ(written(values, {3, 1, 2}), "[[[1,2]],[[3,4]],[[5,6]]]");
  EXPECT_EQ(written(std::span(values).first(1), {}), "1");
  EXPECT_EQ(written({}, {0, 3}), "[]");
}

}  // namespace
}  // namespace bert
