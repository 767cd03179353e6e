#include "program/server/routes/body_form.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace bert::test {
namespace {

using nlohmann::json;
using server::BodyForm;
using server::Field;
using server::FieldType;

constexpr std::string_view kColours[] = {"red", "blue"};
constexpr FieldType kString{.name = "string"}, kStrings{.name = "array", .items = &kString};
constexpr FieldType kStringOrList{.either = {&kString, &kStrings}};
constexpr Field kInner[] = {{"count", {.name = "integer", .least = 1, .most = 9}}};
constexpr BodyForm kInnerForm{kInner};
constexpr Field kOuter[] = {{"colour", {.name = "string", .words = kColours}},
                            {"a", kStringOrList, server::Need::kOneOf},
                            {"b", kString, server::Need::kOneOf},
                            {"inner", {.name = "object", .form = &kInnerForm}, server::Need::kRequired}};
constexpr BodyForm kOuterForm{kOuter};

TEST(BodyForm, IsAJsonSchema) {
  const json expected = json::parse(R"({"type": "object", "required": ["inner"],
    "anyOf": [{"required": ["a"]}, {"required": ["b"]}], "properties": {
    "colour": {"type": "string", "enum": ["red", "blue"]}, "b": {"type": "string"},
    "a": {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
    "inner": {"type": "object", "properties": {"count": {"type": "integer", "minimum": 1, "maximum": 9}}}}})");
  EXPECT_EQ(json::parse(server::schema_of({.name = "object", .form = &kOuterForm})), expected);
  EXPECT_EQ(server::schema_of({.name = "object"}), R"({"type":"object"})");
}

TEST(BodyForm, HasTheOptionsOfItsTask) {
  constexpr std::string_view kLeftOut[] = {"labels"};
  const BodyForm form(kInner, "tag", kLeftOut);
  EXPECT_EQ(server::options_of(form).size(), task_named("tag").options.size() - 1);
  const std::vector<Field> fields = server::fields_of(form);
  EXPECT_EQ(fields.front().name, "count");
  const auto field = [&](std::string_view name) { return std::ranges::find(fields, name, &Field::name); };
  EXPECT_EQ(field("labels"), fields.end());
  EXPECT_EQ(json::parse(server::schema_of(field("threshold")->type)),
            json({{"type", "number"}, {"minimum", 0}, {"maximum", 1}}));
  EXPECT_EQ(server::options_of(kInnerForm).size(), 0u);
}

}  // namespace
}  // namespace bert::test
