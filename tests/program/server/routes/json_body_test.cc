#include "program/server/routes/json_body.h"

#include <gtest/gtest.h>

#include "program/server/routes/api_error.h"
#include "tests/support/random.h"

namespace bert::test {
namespace {

using server::ApiError;

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const ApiError& error) {
    return error.what();
  }
  return "";
}

TEST(JsonBody, NamesFieldFoundAndExpected) {
  const auto body = server::parse_body(R"({"a": 1, "b": null, "c": ["x", 2], "d": 0})");
  EXPECT_EQ(message_of([&] { server::required_string(body, "a"); }), "'a' is a number, expected a string");
  EXPECT_EQ(message_of([&] { server::required_field(body, "b"); }), "'b' is missing");
  EXPECT_EQ(message_of([&] { server::required_strings(body, "c"); }), "'c[1]' is a number, expected a string");
  EXPECT_EQ(message_of([&] { server::optional_size(body, "d"); }), "'d' is 0, expected a whole number above 0");
  EXPECT_EQ(message_of([&] { server::optional_bool(body, "a"); }), "'a' is a number, expected true or false");
  EXPECT_EQ(server::optional_string(body, "b"), std::nullopt);
  EXPECT_EQ(server::optional_size(body, "a"), 1u);
}

TEST(JsonBody, RejectsWhatIsNotAnObject) {
  EXPECT_EQ(message_of([] { server::parse_body("[]"); }), "the body is an array, expected an object");
  EXPECT_TRUE(message_of([] { server::parse_body(""); }).starts_with("the body is not JSON: "));
  EXPECT_TRUE(message_of([] { server::parse_body("{\"a\": \"\xFF\"}"); }).starts_with("the body is not JSON: "));
  const std::string deep = "{\"a\":" + std::string(1000, '[') + std::string(1000, ']') + "}";
  EXPECT_EQ(message_of([&] { server::parse_body(deep); }), "the body is not JSON: byte 36: more than 32 levels");
  EXPECT_NO_THROW(server::parse_body("{\"a\": \"" + std::string(1000, '[') + "\\\"[\"}"));
}

TEST(JsonBody, IsTheTreeOfTheText) {
  for (const char* text :
       {"{}", R"({"a": {"b": [[], [1, [2, {"c": [3]}]], "x"]}, "d": [true, null, -1.5, 18446744073709551615]})",
        R"({"a": [-0, 1e2, 12345678901234567890123, -9223372036854775808, 1e-999, "\u00e9\ud83d\ude00"]})"}) {
    EXPECT_EQ(server::parse_body(text).root, nlohmann::json::parse(text)) << text;
  }
}

TEST(JsonBody, SaysWhereTheTextIsNoJson) {
  EXPECT_EQ(message_of([] { server::parse_body("{\"a\": 1,}"); }),
            "the body is not JSON: byte 8: found '}', expected a key");
}

TEST(JsonBody, RefusesARepeatedKeyAndANumberWithoutAValueWhereTheyAreUsed) {
  const auto body = server::parse_body(
      R"({"a": "x", "n": NaN, "i": -Infinity, "big": 1e999, "a": {"b": [1], "a": 1, "a": []}, "a": "y", "good": "z"})");
  EXPECT_EQ(server::required_string(body, "good"), "z");
  EXPECT_EQ(message_of([&] { server::required_string(body, "a"); }), "'a' is there twice, expected a string");
  EXPECT_EQ(message_of([&] { server::optional_string(body, "n"); }), "'n' is NaN, expected a string");
  EXPECT_EQ(message_of([&] { server::optional_size(body, "n"); }), "'n' is NaN, expected a whole number above 0");
  EXPECT_EQ(message_of([&] { server::optional_bool(body, "i"); }), "'i' is -Infinity, expected true or false");
  EXPECT_EQ(message_of([&] { server::required_strings(body, "big"); }), "'big' is 1e999, expected a list of strings");
}

TEST(JsonBody, ReadsHalvesOfSurrogatePairsAsTheReplacementCharacter) {
  const auto body = server::parse_body(R"({"k\ud83d": 1, "unread": ["\udc00"], "a": "cut \ud83d", "b": "\\ud83d"})");
  EXPECT_EQ(server::required_string(body, "a"), "cut \uFFFD");
  EXPECT_EQ(server::required_string(body, "b"), "\\ud83d");
  EXPECT_TRUE(body.root.contains("k\uFFFD"));
}

// A valid body with replaced bytes must be parsed, or refused with one line.
TEST(JsonBody, SurvivesDamagedBodies) {
  const std::string valid = R"({"input": ["a", "\u00e9\n"], "n": [1, -2.5e3, true, null], "o": {"k": {}}})";
  Random random(7);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = valid;
    const size_t changes = 1 + random.below(4);
    for (size_t change = 0; change < changes; ++change) {
      text[random.below(text.size())] = static_cast<char>(random.below(256));
    }
    try {
      server::parse_body(text);
    } catch (const ApiError& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace bert::test
