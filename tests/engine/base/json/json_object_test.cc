#include "engine/base/json/json_object.h"

#include <gtest/gtest.h>

#include "bert/error.h"
#include "tests/support/expect_error.h"

namespace bert {
namespace {

using test::error_of;

const JsonDocument& sample() {
  static const JsonDocument document = parse_json(
      R"({"i": 7, "n": -3, "f": 1.5, "s": "text", "b": true, "null": null, "a": ["x", "y"], "mixed": ["x", 1],
          "big": 18446744073709551615, "nan": NaN, "zero": 0.0, "whole": 2.0, "huge": 1e39, "inner": {"id": 5}})",
      "x");
  return document;
}

const JsonObject kObject(sample().root(), "config.json");

TEST(JsonObject, GivesValuesAndNoneForAbsentFields) {
  EXPECT_EQ(kObject.integer("i", {1, 9}), 7);
  EXPECT_EQ(kObject.integer("n", {-3, 0}), -3);
  EXPECT_EQ(kObject.integer("absent", {0, 0}), std::nullopt);
  EXPECT_EQ(kObject.boolean("b"), true);
  EXPECT_EQ(kObject.boolean("absent"), std::nullopt);
  EXPECT_EQ(kObject.string("s"), "text");
  EXPECT_EQ(kObject.positive_number("f"), 1.5);
  EXPECT_EQ(kObject.positive_number("i"), 7.0);
  EXPECT_EQ(kObject.strings("a"), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(kObject.strings("absent"), std::nullopt);
  EXPECT_TRUE(kObject.has("null"));
  EXPECT_TRUE(kObject.is_null("null"));
  EXPECT_FALSE(kObject.is_null("absent"));
}

TEST(JsonObject, TakesNullForAbsentOnlyWhereTheCallSaysSo) {
  EXPECT_EQ(kObject.nullable_boolean("null"), std::nullopt);
  EXPECT_EQ(kObject.nullable_string("null"), std::nullopt);
  EXPECT_EQ(kObject.nullable_integer("null", {0, 1}), std::nullopt);
  EXPECT_FALSE(kObject.nullable_object("null"));
  EXPECT_FALSE(kObject.nullable("null"));
  EXPECT_EQ(kObject.nullable_boolean("b"), true);
  EXPECT_EQ(kObject.nullable_object("inner")->required_integer("id", 9), 5u);
  EXPECT_EQ(error_of([] { kObject.boolean("null"); }), "'config.json': null: found null, expected true or false");
  EXPECT_EQ(error_of([] { kObject.string("null"); }), "'config.json': null: found null, expected a string");
}

TEST(JsonObject, ReadsWhatIsRequired) {
  EXPECT_TRUE(kObject.required_boolean("b"));
  EXPECT_EQ(kObject.required_string("s"), "text");
  EXPECT_EQ(kObject.required_array("mixed").size(), 2u);
  EXPECT_EQ(error_of([] { kObject.required_boolean("absent"); }),
            "'config.json': absent: missing, expected true or false");
  EXPECT_EQ(error_of([] { kObject.required_array("s"); }), "'config.json': s: found \"text\", expected an array");
}

TEST(JsonObject, NamesFileFieldFoundAndExpected) {
  EXPECT_EQ(error_of([] {
              kObject.integer("s", {1, 9});
            }),
            "'config.json': s: found \"text\", expected an integer from 1 to 9");
  EXPECT_EQ(error_of([] {
              kObject.integer("i", {1, 6});
            }),
            "'config.json': i: found 7, expected an integer from 1 to 6");
  for (const char* name : {"f", "whole", "b", "null", "a", "big", "n", "nan"}) {
    EXPECT_NE(error_of([&] { kObject.integer(name, {1, 9}); }), "") << name;
  }
  for (const char* name : {"zero", "n", "s", "nan", "null", "huge"}) {
    EXPECT_NE(error_of([&] { kObject.positive_number(name); }).find("expected a finite number above 0"),
              std::string::npos);
  }
  EXPECT_NE(error_of([] { kObject.strings("mixed"); }).find("expected an array of strings"), std::string::npos);
  EXPECT_NE(error_of([] { kObject.strings("s"); }).find("expected an array of strings"), std::string::npos);
  EXPECT_EQ(error_of([] { kObject.required_object("inner").required_integer("id", 4); }),
            "'config.json': inner.id: found 5, expected an integer from 0 to 4");
  EXPECT_EQ(error_of([] { JsonObject(*sample().root().find("s"), "f.json", "a.b"); }),
            "'f.json': a.b: found \"text\", expected an object");
}

TEST(JsonObject, CutsLongValuesAndNamesInErrors) {
  const std::string x(100000, 'x');
  const JsonDocument document = parse_json("{\"" + x + "\": \"" + x + "\"}", "x");
  EXPECT_LT(error_of([&] { JsonObject(document.root(), "x").boolean(x); }).size(), 400u);
}

}  // namespace
}  // namespace bert
