#include "program/server/routes/task_fields.h"

#include <gtest/gtest.h>

namespace bert::test {
namespace {

using nlohmann::json;
using server::settings_of;

TEST(TaskFields, AreReadByTheTasksDescriptionAndTheirNames) {
  const json body = {{"words", {"a", "b"}}, {"threshold", 1}, {"nested", true}, {"stride", 0u}, {"long_text", nullptr}};
  const TaskSettings settings =
      settings_of(body, "tag", {{"words", "labels"}, {"threshold"}, {"nested"}, {"stride"}, {"long_text"}});
  EXPECT_EQ(settings.texts("labels"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(settings.number("threshold"), 1);
  EXPECT_TRUE(settings.flag("nested"));
  EXPECT_EQ(settings.chosen_size("stride"), 0u);
  EXPECT_FALSE(settings.has("long_text"));
}

TEST(TaskFields, ThatSayNothingAreNotRead) {
  const json body = {{"threshold", "no number"}, {"labels", {"a"}}, {"scheme", 5}};
  EXPECT_FALSE(settings_of(body, "tag", {{"threshold"}}).has("threshold"));
  EXPECT_FALSE(settings_of(body, "tag", {{"scheme"}, {"labels"}}).has("scheme"));
}

TEST(TaskFields, AreNamedInErrors) {
  const auto error = [](const json& body, std::string_view task, const std::vector<server::FieldName>& names) {
    try {
      settings_of(body, task, names);
    } catch (const server::ApiError& found) {
      return found.parameter() + ": " + found.what();
    }
    return std::string();
  };
  EXPECT_EQ(error({{"how", "most"}}, "tag", {{"how", "aggregation"}}),
            "how: 'how' is \"most\", expected one of none, simple, first, average, max");
  EXPECT_EQ(error(json::object(), "zero_shot", {{"candidates", "labels"}}), "candidates: 'candidates' is missing");
  EXPECT_EQ(error({{"top_k", 0}}, "classify", {{"top_k"}}), "top_k: 'top_k' is 0, expected a whole number above 0");
  EXPECT_EQ(error({{"stride", -1}}, "tag", {{"stride"}}), "stride: 'stride' is -1, expected a whole number");
  EXPECT_EQ(error({{"threshold", 2}}, "redact", {{"threshold"}}), "threshold: 'threshold' is 2, expected 0 to 1");
  EXPECT_EQ(error({{"threshold", "a"}}, "redact", {{"threshold"}}),
            "threshold: 'threshold' is a string, expected a number from 0 to 1");
  EXPECT_EQ(error({{"labels", "a"}}, "tag", {{"labels"}}), "labels: 'labels' is a string, expected a list of strings");
  EXPECT_EQ(error({{"no_answer", 1}}, "answer", {{"no_answer"}}),
            "no_answer: 'no_answer' is a number, expected true or false");
}

}  // namespace
}  // namespace bert::test
