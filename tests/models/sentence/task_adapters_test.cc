#include "models/sentence/task_adapters.h"

#include <gtest/gtest.h>

#include "engine/base/json/json.h"
#include "models/config/adapter_settings.h"
#include "tests/support/expect_error.h"

namespace bert {
namespace {

using test::error_of;

// These fields are shortened from the published configuration of Jina embeddings v3.
constexpr const char* kAdapterFields = R"("lora_adaptations": ["retrieval.query", "separation"], "lora_alpha": 1,
    "task_instructions": {"separation": "", "retrieval.query": "Represent the query: "}, "lora_rank": 4)";

std::optional<TaskAdapters> adapters_of(const std::string& fields) {
  const JsonDocument json = parse_json("{" + fields + "}", "config.json");
  return read_task_adapters(JsonObject(json.root(), "config.json"));
}

std::optional<TaskAdapters> trained_adapters() {
  return adapters_of(std::string(kAdapterFields) + R"(, "load_trained_adapters": true)");
}

TEST(TaskAdapters, AreReadInTheOrderOfTheTasks) {
  const TaskAdapters adapters = trained_adapters().value();
  EXPECT_EQ(adapters.tasks, (std::vector<std::string>{"retrieval.query", "separation"}));
  EXPECT_EQ(adapters.instructions, (std::vector<std::string>{"Represent the query: ", ""}));
  EXPECT_EQ(adapters.rank, 4u);
  EXPECT_EQ(adapters.alpha, 1);
}

TEST(TaskAdapters, AreNoneUnlessTheFileHasThem) {
  EXPECT_FALSE(adapters_of(kAdapterFields));
  EXPECT_FALSE(adapters_of(std::string(kAdapterFields) + R"(, "load_trained_adapters": false)"));
  EXPECT_FALSE(adapters_of(R"("lora_adaptations": null, "load_trained_adapters": true)"));
}

TEST(TaskAdapters, RefuseMalformedSettings) {
  const auto error_in = [](const std::string& fields) {
    return error_of(ErrorCode::kInvalidFile, [&] { adapters_of(fields + R"(, "load_trained_adapters": true)"); });
  };
  EXPECT_EQ(error_in(R"("lora_adaptations": [])"),
            "'config.json': lora_adaptations: found [], expected the name of a task, at least one");
  EXPECT_NE(
      error_in(R"("lora_adaptations": ["a"], "task_instructions": {"b": ""})").find("task_instructions.a: missing"),
      std::string::npos);
  EXPECT_NE(error_in(R"("lora_adaptations": ["a"], "task_instructions": {"a": ""}, "lora_rank": 0)").find("lora_rank"),
            std::string::npos);
}

TEST(TaskAdapters, OfTheTaskIsChosenWithItsInstruction) {
  SentenceSettings sentence;
  sentence.prompts["separation"] = "of the other file: ";
  EXPECT_EQ(choose_adapter(trained_adapters(), "separation", "DIR", sentence), 1u);
  EXPECT_EQ(sentence.default_prompt, "separation");
  EXPECT_EQ(sentence.prompts, (std::map<std::string, std::string>{{"retrieval.query", "Represent the query: "},
                                                                  {"separation", "of the other file: "}}));
  EXPECT_TRUE(sentence.notices.empty());
}

TEST(TaskAdapters, AreNotAppliedWithoutATask) {
  SentenceSettings sentence;
  EXPECT_EQ(choose_adapter(trained_adapters(), {}, "DIR", sentence), std::nullopt);
  EXPECT_EQ(sentence.default_prompt, "");
  EXPECT_EQ(sentence.notices,
            std::vector<std::string>{
                "'DIR': no adapter (LoRA) is applied, of 'retrieval.query', 'separation'; a task chooses one"});
  SentenceSettings plain;
  EXPECT_EQ(choose_adapter({}, {}, "DIR", plain), std::nullopt);
  EXPECT_TRUE(plain.notices.empty());
}

TEST(TaskAdapters, RefuseAnUnknownTask) {
  SentenceSettings sentence;
  EXPECT_EQ(
      error_of(ErrorCode::kInvalidArgument, [&] { choose_adapter(trained_adapters(), "query", "DIR", sentence); }),
      "no adapter for task 'query' in 'DIR', expected 'retrieval.query', 'separation'");
  EXPECT_EQ(error_of(ErrorCode::kNotFound, [&] { choose_adapter({}, "query", "DIR", sentence); }),
            "task 'query' requested, but 'DIR' has neither a Router nor adapters for tasks");
  sentence.has_routes = true;
  EXPECT_EQ(choose_adapter({}, "query", "DIR", sentence), std::nullopt);
}

}  // namespace
}  // namespace bert
