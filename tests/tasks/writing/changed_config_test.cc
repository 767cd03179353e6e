#include "tasks/writing/changed_config.h"

#include <gtest/gtest.h>

namespace bert {
namespace {

TEST(ChangedConfig, HasTheNewMembersFirstAndKeepsTheOthers) {
  const JsonDocument config =
      parse_json(R"({"a": [1, {"b": null}], "layers": 12, "gone": {}, "c": "so \"so\"", "eps": 1e-12, "on": true})",
                 "config.json");
  EXPECT_EQ(changed_config(config.root(), {{"layers", "3"}, {"gone", ""}, {"new", "[\"x\"]"}}), R"({
  "layers": 3,
  "new": ["x"],
  "a": [1, {"b": null}],
  "c": "so \"so\"",
  "eps": 1e-12,
  "on": true
}
)");
}

TEST(ChangedConfig, WritesAValueAsItWas) {
  for (const char* text : {"null", "false", "-1.5e3", "[]", "{}", R"({"a": [true, "b"]})"}) {
    EXPECT_EQ(json_text(parse_json(text, "config.json").root()), text);
  }
}

}  // namespace
}  // namespace bert
