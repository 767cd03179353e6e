#include "tokenizer/json_fields.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace bert {
namespace {

using test::error_of;

const Json kJson = Json::parse(R"({"yes": true, "none": null, "text": "x", "inner": {"id": 5, "minus": -1}})");
const JsonObject kObject{kJson, "f.json"};

TEST(JsonFields, TakesNullForAbsent) {
  EXPECT_EQ(kObject.optional_bool("yes"), true);
  EXPECT_EQ(kObject.optional_bool("none"), std::nullopt);
  EXPECT_EQ(kObject.optional_bool("absent"), std::nullopt);
  EXPECT_EQ(kObject.optional_string("none"), std::nullopt);
  EXPECT_TRUE(kObject.bool_or("absent", true));
}

TEST(JsonFields, ReadsWhatIsRequired) {
  EXPECT_TRUE(kObject.required_bool("yes"));
  EXPECT_EQ(kObject.required_string("text"), "x");
  EXPECT_EQ(kObject.required_object("inner").required_unsigned("id", 9), 5u);
}

TEST(JsonFields, SaysWhereAndWhatItExpected) {
  const auto of = [](auto call) { return error_of(ErrorCode::kInvalidFile, call); };
  EXPECT_EQ(of([] { kObject.optional_bool("text"); }), "'f.json': text: found \"x\", expected true or false");
  EXPECT_EQ(of([] { kObject.optional_string("yes"); }), "'f.json': yes: found true, expected a string");
  EXPECT_EQ(of([] { kObject.required_bool("absent"); }), "'f.json': absent: missing, expected true or false");
  EXPECT_EQ(of([] { kObject.required_string("none"); }), "'f.json': none: found null, expected a string");
  EXPECT_EQ(of([] { kObject.required_object("inner").required_unsigned("id", 4); }),
            "'f.json': inner.id: found 5, expected an integer from 0 to 4");
  EXPECT_EQ(of([] { kObject.required_object("inner").required_unsigned("minus", 4); }),
            "'f.json': inner.minus: found -1, expected an integer from 0 to 4");
  EXPECT_EQ(of([] {
              JsonObject{kJson["text"], "f.json", "a.b"}.check();
            }),
            "'f.json': a.b: found \"x\", expected an object");
}

}  // namespace
}  // namespace bert
