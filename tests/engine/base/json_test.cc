#include "engine/base/json.h"

#include <gtest/gtest.h>

#include "bert/error.h"

namespace bert {
namespace {

std::string parse_error(std::string_view text, const JsonLimits& limits = {}) {
  try {
    parse_json(text, "config.json", limits);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidFile);
    return error.what();
  }
  return "";
}

TEST(Json, RefusesADuplicateKeyAtAnyLevelByName) {
  EXPECT_EQ(parse_error(R"({"a": 1, "a": 2})"), "'config.json': duplicate key 'a'");
  EXPECT_EQ(parse_error(R"([{"x": {"b": 1, "\u0062": 2}}])"), "'config.json': duplicate key 'b'");
  EXPECT_EQ(parse_error(R"([{"a": 1}, {"a": 2}])"), "");
}

TEST(Json, RefusesTooDeepAndTooLargeTexts) {
  EXPECT_EQ(parse_error(std::string(64, '[') + std::string(64, ']')), "");
  EXPECT_NE(parse_error(std::string(65, '[') + std::string(65, ']')).find("deeper than 64"), std::string::npos);
  EXPECT_NE(parse_error(std::string(1000000, '[')).find("deeper than 64"), std::string::npos);
  EXPECT_NE(parse_error("[1, 2]", {.max_bytes = 5}).find("6 bytes of JSON, expected at most 5"), std::string::npos);
}

TEST(Json, SaysNoMoreThanALineOfALongToken) {
  const std::string error = parse_error("{\"a\": \"" + std::string(100000, 'x'));
  EXPECT_NE(error.find("missing closing quote"), std::string::npos) << error;
  EXPECT_LT(error.size(), 400u);
}

TEST(Json, ReadsPythonLiteralsAsStringsAndLeavesTextsAlone) {
  const Json json = parse_json(R"({"a": NaN, "b": [-Infinity, Infinity], "c": "NaN \" Infinity"})", "x");
  EXPECT_EQ(json["a"], "NaN");
  EXPECT_EQ(json["b"][0], "-Infinity");
  EXPECT_EQ(json["b"][1], "Infinity");
  EXPECT_EQ(json["c"], "NaN \" Infinity");
}

TEST(Json, SaysWhereOnOneLine) {
  const std::string error = parse_error("{\n\"a\": \n]");
  EXPECT_NE(error.find("line 3"), std::string::npos) << error;
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
}

}  // namespace
}  // namespace bert
