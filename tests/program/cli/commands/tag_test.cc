// Tests the command tag.
#include <gtest/gtest.h>

#include "tests/program/cli/program.h"
#include "tests/support/firing_models.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_gliner.h"

namespace bert::test {
namespace {

TEST(Tag, WritesATableOfEntities) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-tagger");
  const std::vector<std::string> rows =
      lines_of(run_program({"tag", "--model", folder.string(), "--aggregation", "simple", "--format", "csv",
                            "A bird is bathing in a sink."})
                   .out);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0], "index,id,entity,score,word,start,end,error");
  EXPECT_TRUE(rows[1].starts_with("0,,PER,0.955")) << rows[1];
  EXPECT_TRUE(rows[1].ends_with(",bird,2,6,")) << rows[1];
}

TEST(Tag, CountsWhatALongTextsResultLeavesOut) {
  const TemporaryDirectory tagger;
  write_firing_tagger(tagger, {{"fox", "B-ANIMAL"}});
  const std::string text = text_with_foxes(60, {3, 40});
  const auto result = [&](const std::string& long_text) {
    return run_program({"tag", "--model", tagger.path().string(), "--long-text", long_text, "--format", "json", text})
        .json();
  };
  EXPECT_GT(result("cut")["truncated_tokens"], 0);
  EXPECT_EQ(result("windows")["truncated_tokens"], 0);
  EXPECT_FALSE(result("windows").contains("window"));
  EXPECT_EQ(result("windows")["entities"][0]["word"], "fox");
}

TEST(Tag, GivesALabelForEachWordOfALine) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-tagger");
  const std::string lines = R"({"id": 7, "words": ["A", "bird", "is", "bathing", "in", "a", "sink", "."]})"
                            "\n"
                            R"({"words": []})"
                            "\n"
                            R"({"words": ["a", 3]})"
                            "\n"
                            R"({"words": ["a"], "text": "a"})"
                            "\n"
                            R"({"text": "A bird is bathing in a sink."})"
                            "\n";
  const auto tagged = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"tag",     "--model", folder.string(), "--jsonl",
                                          "--input", "-",       "--format",      "jsonl"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments, {.standard_input = lines});
  };
  const std::vector<nlohmann::json> results = tagged({}).json_lines();
  ASSERT_EQ(results.size(), 5u);
  EXPECT_EQ(results[0]["id"], 7);
  ASSERT_EQ(results[0]["words"].size(), 8u);
  EXPECT_EQ(results[0]["words"][1]["word"], "bird");
  EXPECT_EQ(results[0]["words"][1]["label"], "I-PER");
  EXPECT_EQ(results[0]["words"][0]["label"], "O");
  EXPECT_EQ(results[1]["words"], nlohmann::json::array());
  EXPECT_NE(results[2]["error"].get<std::string>().find("expected \"words\" as an array of strings"),
            std::string::npos);
  EXPECT_NE(results[3]["error"].get<std::string>().find("\"words\" beside \"text\""), std::string::npos);
  EXPECT_EQ(results[4]["entities"].size(), 2u);
  const nlohmann::json cut = tagged({"--max-length", "6"}).json_lines()[0];
  EXPECT_TRUE(cut["words"][7]["label"].is_null());
  EXPECT_EQ(cut["words"][7]["word"], ".");
  EXPECT_NE(tagged({"--aggregation", "simple"}).json_lines()[0]["error"].get<std::string>().find("not none and simple"),
            std::string::npos);
  EXPECT_EQ(tagged({"--aggregation", "max"}).json_lines()[0]["words"][1]["label"], "I-PER");
}

TEST(Tag, TakesLabelsInEitherForm) {
  const TemporaryDirectory directory;
  write_tiny_gliner(directory);
  const auto with = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"tag", "--model", directory.path().string(), "--format", "jsonl"});
    arguments.insert(arguments.end(), {"--threshold", "0.05", "é the quick fox jumps over the lazy dog"});
    return run_program(arguments).json();
  };
  const nlohmann::json found = with({"--labels", "dog, fox"})["entities"];
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.back()["start"].get<int>(), found.back()["code_point_start"].get<int>() + 1);
  EXPECT_EQ(with({"--label", "dog", "--label", "fox"})["entities"], found);
  const nlohmann::json utf16 = with({"--labels", "dog,fox", "--offsets", "utf16"});
  EXPECT_EQ(utf16["offset_unit"], "utf16");
  EXPECT_FALSE(utf16["entities"].back().contains("code_point_end"));
}

TEST(Tag, SaysWhichOptionsBelongTogether) {
  const TemporaryDirectory directory;
  write_tiny_gliner(directory);
  const std::string model = directory.path().string();
  const auto refusal = [&](const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {"tag", "--model", model};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.push_back("the dog");
    const ProgramResult result = run_program(arguments);
    EXPECT_EQ(result.status, 2);
    return result.err;
  };
  EXPECT_NE(refusal({}).find("the model reads labels, expected those that are looked for: --labels A,B,…"),
            std::string::npos);
  EXPECT_NE(refusal({"--nested"}).find("--nested needs --labels"), std::string::npos);
  EXPECT_NE(refusal({"--labels", "dog", "--aggregation", "simple"}).find("is not for --labels"), std::string::npos);
  const ProgramResult builtin = run_program({"tag", "--labels", "dog", "the dog"});
  EXPECT_EQ(builtin.status, 1);
  EXPECT_NE(builtin.err.find("the built-in model does not read labels for entities, expected a GLiNER model"),
            std::string::npos);
}

TEST(Tag, RefusesAPair) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-tagger");
  const ProgramResult result =
      run_program({"tag", "--model", folder.string(), "--input", "-", "--jsonl", "--format", "jsonl"},
                  {.standard_input = "{\"text\": \"A.\", \"pair\": \"A bird is bathing in a sink.\"}\n"
                                     "{\"text\": \"A bird is bathing in a sink.\"}\n"});
  EXPECT_EQ(result.status, 1);
  ASSERT_EQ(result.json_lines().size(), 2u) << result.err;
  EXPECT_EQ(result.json_lines()[0]["error"], "a \"pair\" where the text alone must be");
  EXPECT_FALSE(result.json_lines()[1]["entities"].empty());
}

TEST(Tag, RefusesIds) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-tagger");
  const ProgramResult result =
      run_program({"tag", "--model", folder.string(), "--input", "-", "--jsonl", "--format", "jsonl"},
                  {.standard_input = "{\"ids\": [101, 102]}\n"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.json_lines().at(0)["error"], "\"ids\" where a \"text\" must be");
}

}  // namespace
}  // namespace bert::test
