#include "models/json_fields.h"

#include <gtest/gtest.h>

#include "bert/error.h"
#include "tests/support/expect_error.h"

namespace bert {
namespace {

using test::error_of;

const Json& sample() {
  static const Json json = parse_json(
      R"({"i": 7, "n": -3, "f": 1.5, "s": "text", "b": true, "null": null, "a": ["x", "y"], "mixed": ["x", 1],
          "big": 18446744073709551615, "nan": NaN, "zero": 0.0, "whole": 2.0, "huge": 1e39})",
      "x");
  return json;
}

TEST(JsonFields, GivesValuesAndDefaults) {
  const JsonFields fields(sample(), "config.json");
  EXPECT_EQ(fields.size("i", 1, {1, 9}), 7u);
  EXPECT_EQ(fields.size("absent", 1, {1, 9}), 1u);
  EXPECT_EQ(fields.integer("n", {-3, 0}), -3);
  EXPECT_EQ(fields.integer("absent", {0, 0}), std::nullopt);
  EXPECT_TRUE(fields.boolean("b", false));
  EXPECT_TRUE(fields.boolean("absent", true));
  EXPECT_EQ(fields.string("s", ""), "text");
  EXPECT_EQ(fields.string("absent", "d"), "d");
  EXPECT_EQ(fields.positive_number("f", 0), 1.5);
  EXPECT_EQ(fields.positive_number("i", 0), 7.0);
  EXPECT_EQ(fields.strings("a"), (std::vector<std::string>{"x", "y"}));
  EXPECT_TRUE(fields.is_null("null"));
  EXPECT_FALSE(fields.is_null("absent"));
}

TEST(JsonFields, NamesFileFieldFoundAndExpected) {
  const JsonFields fields(sample(), "config.json");
  EXPECT_EQ(error_of([&] { fields.size("s", 1, {1, 9}); }), "'config.json': s \"text\", expected an integer of 1 to 9");
  EXPECT_EQ(error_of([&] { fields.size("i", 1, {1, 6}); }), "'config.json': i 7, expected an integer of 1 to 6");
  for (const char* name : {"f", "whole", "b", "null", "a", "big", "n", "nan"}) {
    EXPECT_NE(error_of([&] { fields.size(name, 1, {1, 9}); }), "") << name;
  }
  EXPECT_EQ(error_of([&] { fields.boolean("i", false); }), "'config.json': i 7, expected true or false");
  EXPECT_EQ(error_of([&] { fields.string("null", ""); }), "'config.json': null null, expected a string");
  for (const char* name : {"zero", "n", "s", "nan", "null", "huge"}) {
    EXPECT_NE(error_of([&] { fields.positive_number(name, 1); }).find("expected a finite number above 0"),
              std::string::npos);
  }
  EXPECT_NE(error_of([&] { fields.strings("mixed"); }).find("expected an array of strings"), std::string::npos);
  EXPECT_NE(error_of([&] { fields.strings("s"); }).find("expected an array of strings"), std::string::npos);
  EXPECT_EQ(error_of([] { JsonFields(Json(3), "x"); }), "'x': 3, expected an object");
  EXPECT_EQ(error_of([] { JsonFields(sample(), "x", "module 1").boolean("i", true); }),
            "'x': module 1.i 7, expected true or false");
}

TEST(JsonFields, CutsLongValuesInErrors) {
  const Json json = {{"s", std::string(100000, 'x')}};
  const std::string error = error_of([&] { JsonFields(json, "x").size("s", 1, {1, 9}); });
  EXPECT_LT(error.size(), 150u);
}

}  // namespace
}  // namespace bert
