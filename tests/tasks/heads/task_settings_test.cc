// Tests options by name: which ones a task accepts, and the errors for wrong ones.
#include "bert/task_settings.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/support/expect_error.h"
#include "tests/support/tiny_model.h"

namespace bert {
namespace {

std::string refusal(const std::function<void()>& call) { return test::error_of(ErrorCode::kInvalidArgument, call); }

TEST(TaskSettings, HaveDefaultsUntilTheyAreSet) {
  TaskSettings settings("tag");
  EXPECT_EQ(settings.task().name, "tag");
  EXPECT_FALSE(settings.has("threshold"));
  EXPECT_EQ(settings.number("threshold"), 0.5);
  EXPECT_EQ(settings.text("scheme"), "auto");
  EXPECT_EQ(settings.word<TagScheme>("scheme", kSchemeWords), TagScheme::kFromLabels);
  EXPECT_FALSE(settings.flag("nested"));
  EXPECT_TRUE(settings.texts("labels").empty());
  EXPECT_EQ(settings.chosen_size("stride"), std::nullopt);
  settings.set("threshold", size_t{1});  // an integer is accepted as a number
  settings.set("scheme", std::string("bilou"));
  settings.set("stride", size_t{0});
  EXPECT_EQ(settings.number("threshold"), 1);
  EXPECT_EQ(settings.word<TagScheme>("scheme", kSchemeWords), TagScheme::kBilou);
  EXPECT_EQ(settings.chosen_size("stride"), 0u);
  EXPECT_TRUE(TaskSettings("answer").flag("align_to_words"));
  EXPECT_EQ(TaskSettings("redact").chosen_text("mask"), std::nullopt);
}

TEST(TaskSettings, NameWhatIsUnknown) {
  EXPECT_NE(refusal([] { TaskSettings("tags"); }).find("task 'tags', expected one of classify, zero_shot, tag, "),
            std::string::npos);
  EXPECT_EQ(refusal([] { TaskSettings("next_sentence").set("schema", true); }),
            "option 'schema' of next_sentence, expected one of long_text");
}

TEST(TaskSettings, RefuseAnotherTypeAWordAndANumberOutOfRange) {
  const auto set = [](const char* option, OptionValue value) {
    return refusal([&] { TaskSettings("tag").set(option, std::move(value)); });
  };
  EXPECT_EQ(set("nested", std::string("yes")), "option nested: found 'yes', expected true or false");
  EXPECT_EQ(set("scheme", std::string("bio")), "option scheme: found 'bio', expected one of auto, iob, bioes, bilou");
  EXPECT_EQ(set("scheme", size_t{1}), "option scheme: found 1, expected one of auto, iob, bioes, bilou");
  EXPECT_EQ(set("threshold", 1.5), "option threshold: found 1.5, expected a number from 0 to 1");
  EXPECT_NE(set("threshold", std::nan("")).find("expected a number from 0 to 1"), std::string::npos);
  EXPECT_EQ(set("stride", 0.5), "option stride: found 0.5, expected a whole number of at least 0");
  EXPECT_EQ(set("labels", std::string("a")), "option labels: found 'a', expected a list of texts");
  EXPECT_EQ(refusal([] { TaskSettings("fill_mask").set("top_k", size_t{0}); }),
            "option top_k: found 0, expected a whole number of at least 1");
}

TEST(TaskSettings, ReadTheMembersOfAnObject) {
  TaskSettings settings("tag");
  settings.set_json(R"({"labels": ["a", "b"], "threshold": 0.25, "nested": true, "stride": null})");
  EXPECT_EQ(settings.texts("labels"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(settings.number("threshold"), 0.25);
  EXPECT_TRUE(settings.flag("nested"));
  EXPECT_FALSE(settings.has("stride"));
  const auto read = [](const char* json) { return refusal([&] { TaskSettings("tag").set_json(json); }); };
  EXPECT_EQ(read("[]"), "the options: found [], expected an object");
  EXPECT_EQ(read(R"({"labels": [1]})"), "option labels: found [1], expected a list of texts");
  EXPECT_EQ(read(R"({"stride": -1})"), "option stride: found -1, expected a whole number of at least 0");
  EXPECT_NE(read("{").find("the options"), std::string::npos);
  EXPECT_NE(read(R"({"x": null})").find("option 'x' of tag"), std::string::npos);
}

TEST(TaskSettings, CheckWhatBelongsTogether) {
  TaskSettings settings("tag");
  settings.set("nested", true);
  EXPECT_EQ(refusal([&] { settings.check(); }), "option nested of tag without labels, expected both or none");
  settings.set("labels", std::vector<std::string>{"a"});
  settings.check();
  settings.set("scheme", std::string("iob"));
  EXPECT_EQ(refusal([&] { settings.check(); }), "option scheme of tag beside labels, expected one of them");
  EXPECT_EQ(refusal([] { TaskSettings("rerank").check(); }), "option query of rerank is missing, expected a text");
}

TEST(TaskSettings, SayHowTextsAreRead) {
  const test::TemporaryDirectory directory;
  test::write_tiny_classifier(directory, {"a", "b"});
  const Model model = Model::load(directory.path().string());
  const auto reading = [&](const char* json) {
    TaskSettings settings("classify");
    settings.set_json(json);
    return text_options(model, *make_call(model, settings), settings);
  };
  EXPECT_FALSE(reading("{}").windows);
  EXPECT_EQ(reading(R"({"long_text": "error"})").tokenize->truncation, Truncation::kError);
  EXPECT_TRUE(reading(R"({"long_text": "windows"})").fits_stride);
  const TextOptions windows = reading(R"({"stride": 3})");
  EXPECT_TRUE(windows.windows);
  EXPECT_FALSE(windows.fits_stride);
  EXPECT_EQ(windows.tokenize->stride, 3u);
  EXPECT_EQ(windows.tokenize->max_windows, kMostWindows);
  EXPECT_EQ(refusal([&] { reading(R"({"stride": 3, "long_text": "cut"})"); }),
            "a stride of 3 without windows, expected none");
}

}  // namespace
}  // namespace bert
