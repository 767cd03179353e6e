#include "tokenizer/files/tokenizer_json_fields.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace bert {
namespace {

TEST(TokenizerJsonFields, FindsElementsWithTheirPlaces) {
  const JsonDocument json = parse_json(R"({"b": {"type": "Sequence", "x": [{}, {}]}})", "f");
  const JsonObject file(json.root(), "f");
  const auto found = elements(file.required_object("b"), "x");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].where(), "b.x[1]");
  EXPECT_EQ(type_of(file.required_object("b")), "Sequence");
  EXPECT_EQ(test::error_of(ErrorCode::kUnsupported, [&] { refuse_component(found[0], "'q'"); }),
            "'f': b.x[0] 'q' is not supported");
}

TEST(TokenizerJsonFields, WantsOneCharacterWhereOneIsNeeded) {
  const JsonDocument json = parse_json(R"({"a": "\u2581", "b": "", "c": "xy"})", "f");
  const JsonObject file(json.root(), "f");
  EXPECT_EQ(required_character(file, "a"), U'\u2581');
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidFile, [&] { required_character(file, "b"); }),
            "'f': b: found \"\", expected one character");
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidFile, [&] { required_character(file, "c"); }),
            "'f': c: found \"xy\", expected one character");
}

}  // namespace
}  // namespace bert
