// Checks that the description of the tasks is consistent, and that each option reaches its task.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "bert/redact.h"
#include "bert/task_json.h"
#include "bert/task_settings.h"
#include "tests/support/firing_models.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_gliclass.h"
#include "tests/support/tiny_gliner.h"
#include "tests/support/tiny_model.h"

namespace bert {
namespace {

TaskSettings settings_of(const char* task, const std::string& json) {
  TaskSettings settings(task);
  settings.set_json(json);
  return settings;
}

// Returns one input's result as JSON.
std::string result_of(const Model& model, const TaskSettings& settings, TextItem input) {
  const TaskCallPtr call = make_call(model, settings);
  const TextItem inputs[] = {std::move(input)};
  TextItems source(inputs);
  TaskRun run(model, *call, source, text_options(model, *call, settings));
  EXPECT_TRUE(run.next());
  EXPECT_FALSE(run.error());
  const TaskOutput output = run.result();
  const TaskSequence read(run.sequences().front());
  if (!read.words) {
    EXPECT_EQ(member_name(output), settings.task().gives);
  }
  return to_json(output, read, OffsetUnit::kBytes);
}

TEST(TaskDescriptions, AgreeWithThemselves) {
  std::set<std::string_view> names;
  for (const TaskDescription& task : tasks()) {
    EXPECT_TRUE(names.insert(task.name).second) << task.name;
    EXPECT_FALSE(task.help.empty());
    std::set<std::string_view> options;
    for (const TaskOption& option : task.options) {
      SCOPED_TRACE(std::string(task.name) + " " + std::string(option.name));
      EXPECT_TRUE(options.insert(option.name).second);
      EXPECT_FALSE(option.help.empty() || option.help.ends_with('.'));
      EXPECT_EQ(option.type == OptionType::kWord, !option.words.empty());
      EXPECT_FALSE(option.is_required && !option.by_default.empty());
      if (!option.needs.empty()) option_named(task, option.needs);
      if (!option.excludes.empty()) option_named(task, option.excludes);
      if (option.by_default.empty()) continue;
      const std::string name(option.name);
      TaskSettings given(task);
      given.set_json("{\"" + name + "\":" + std::string(option.by_default) + "}");
      const TaskSettings none(task);
      if (option.type == OptionType::kSize) {
        EXPECT_EQ(given.size(name), none.size(name));
      }
      if (option.type == OptionType::kNumber) {
        EXPECT_EQ(given.number(name), none.number(name));
      }
      if (option.type == OptionType::kFlag) {
        EXPECT_EQ(given.flag(name), none.flag(name));
      }
      if (option.type == OptionType::kWord || option.type == OptionType::kText) {
        EXPECT_EQ(given.text(name), none.text(name));
      }
    }
  }
}

TEST(TaskDescriptions, AreTheirJson) {
  const nlohmann::json described = nlohmann::json::parse(tasks_json());
  ASSERT_EQ(described.size(), tasks().size());
  const nlohmann::json& tag = described[2];
  EXPECT_EQ(tag["name"], "tag");
  EXPECT_EQ(tag["reads"], "text or words");
  EXPECT_EQ(tag["gives"], "entities");
  for (const nlohmann::json& option : tag["options"]) {
    if (option["name"] == "threshold") {
      EXPECT_EQ(option["type"], "number");
      EXPECT_EQ(option["default"], 0.5);
      EXPECT_EQ(option["most"], 1);
      EXPECT_EQ(option["needs"], "labels");
    }
    if (option["name"] == "scheme") {
      EXPECT_EQ(option["words"], (std::vector{"auto", "iob", "bioes", "bilou"}));
    }
  }
}

TEST(TaskDescriptions, ReachATagger) {
  const test::TemporaryDirectory directory;
  test::write_firing_tagger(directory, {{"fox", "B-ANIMAL"}, {"dog", "E-ANIMAL"}});
  const Model model = Model::load(directory.path().string());
  const auto tagged = [&](const char* json) {
    return result_of(model, settings_of("tag", json), {.text = "the fox dog"});
  };
  const std::string by_default = tagged("{}");
  EXPECT_NE(by_default.find("\"ANIMAL\""), std::string::npos);
  EXPECT_EQ(tagged(R"({"aggregation": "simple", "scheme": "auto"})"), by_default);
  EXPECT_NE(tagged(R"({"aggregation": "none"})"), by_default);
  EXPECT_NE(tagged(R"({"scheme": "iob"})"), tagged(R"({"scheme": "bioes"})"));
  const TextItem words{.words = std::vector<std::string>{"the", "fox"}};
  EXPECT_EQ(result_of(model, settings_of("tag", R"({"aggregation": "none", "long_text": "cut"})"), words),
            result_of(model, settings_of("tag", R"({"aggregation": "first", "long_text": "cut"})"), words));

  const std::string redacted =
      result_of(model, settings_of("redact", R"({"expressions": ["THE=the"], "only": ["NONE"], "mask": "#"})"),
                {.text = "the fox"});
  EXPECT_EQ(redacted, R"({"text":"### fox","replaced":[{"label":"THE","start":0,"end":3}]})");
  EXPECT_EQ(result_of(model, settings_of("redact", R"({"replace": "[{label}]"})"), {.text = "a fox"}),
            R"({"text":"a [ANIMAL]","replaced":[{"label":"ANIMAL","start":2,"end":5}]})");
  EXPECT_EQ(redact_rules(settings_of("redact", R"({"threshold": 0.75, "key": "k"})")).least_score, 0.75);
  EXPECT_EQ(redact_rules(settings_of("redact", R"({"threshold": 0.75, "labels": ["a"]})")).least_score, 0);
  EXPECT_EQ(redact_options(settings_of("redact", R"({"threshold": 0.75, "labels": ["a"]})")).labels.threshold, 0.75);
}

TEST(TaskDescriptions, ReachModelsThatReadLabels) {
  const test::TemporaryDirectory gliner, gliclass;
  test::write_firing_gliner(gliner);
  const Model finder = Model::load(gliner.path().string());
  const auto found = [&](const char* json) {
    return result_of(finder, settings_of("tag", json), {.text = "the brown fox"});
  };
  const std::string all = found(R"({"labels": ["coding"], "threshold": 0.01})");
  EXPECT_NE(all.find("\"coding\""), std::string::npos);
  EXPECT_EQ(found(R"({"labels": ["coding"], "threshold": 1})"), "[]");
  EXPECT_NE(found(R"({"labels": ["coding"], "names": ["N"], "threshold": 0.01})").find("\"N\""), std::string::npos);
  test::write_tiny_gliclass(gliclass, {.architecture = "bi-encoder"});
  const Model classes = Model::load(gliclass.path().string());
  const auto scored = [&](const char* json) {
    return nlohmann::json::parse(result_of(classes, settings_of("classify", json), {.text = "the fox"}));
  };
  EXPECT_EQ(scored(R"({"labels": ["a", "b"]})").size(), 2u);
  EXPECT_EQ(scored(R"({"labels": ["a", "b"], "top_k": 1, "names": ["x", "y"], "multi_label": true})").size(), 1u);
}

TEST(TaskDescriptions, ReachClassifiersAndRerankers) {
  const test::TemporaryDirectory directory;
  test::write_tiny_classifier(directory, {"contradiction", "neutral", "entailment"});
  const Model model = Model::load(directory.path().string());
  const auto length = [&](const char* task, const char* json) {
    return nlohmann::json::parse(result_of(model, settings_of(task, json), {.text = "the fox"})).size();
  };
  EXPECT_EQ(length("classify", "{}"), 3u);
  EXPECT_EQ(length("classify", R"({"top_k": 2, "window_scores": "largest"})"), 2u);
  EXPECT_EQ(length("zero_shot", R"({"labels": ["a", "b"], "multi_label": true, "top_k": 1})"), 1u);
  const TaskCallPtr call =
      make_call(model, settings_of("zero_shot", R"({"labels": ["a"], "hypothesis_template": "do {}"})"));
  EXPECT_EQ(call->items({}).front().pair, "do a");
  const Model builtin = Model::builtin();
  const auto masks = [&](const char* json) {
    return nlohmann::json::parse(result_of(builtin, settings_of("fill_mask", json), {.text = "a [MASK]"}))[0].size();
  };
  EXPECT_EQ(masks("{}"), 5u);
  EXPECT_EQ(masks(R"({"top_k": 3, "targets": ["dog", "cat"]})"), 2u);
  const auto score = [&](const char* json) {
    return result_of(builtin, settings_of("rerank", json), {.text = "a dog"});
  };
  EXPECT_NE(score(R"({"query": "a puppy"})"), score(R"({"query": "a violin"})"));
  EXPECT_NE(score(R"({"query": "a puppy"})"), score(R"({"query": "a puppy", "prompt_text": "music: "})"));
}

}  // namespace
}  // namespace bert
