// The command tag.
#include <gtest/gtest.h>

#include "tests/models/families/privacy_model.h"
#include "tests/support/firing_models.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_gliner.h"
#include "tests/tools/cli/program.h"

namespace bert::test {
namespace {

// The reference's answer for the first case of the folder; the text is ASCII, so bytes are its code points.
TEST(Tag, GivesTheReferencesEntities) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-tagger");
  const nlohmann::json object = run_program({"tag", "--model", folder.string(), "--aggregation", "simple", "--format",
                                             "json", "A bird is bathing in a sink."})
                                    .json();
  ASSERT_EQ(object["entities"].size(), 2u);
  const nlohmann::json& bird = object["entities"][0];
  EXPECT_EQ(bird["entity"], "PER");
  EXPECT_EQ(bird["word"], "bird");
  EXPECT_EQ(bird["start"], 2);
  EXPECT_EQ(bird["end"], 6);
  EXPECT_NEAR(bird["score"].get<double>(), 0.9557581457674932, 1e-5);
}

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

TEST(Tag, GivesOneResultATextFromAllItsWindows) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/tiny-tagger");
  std::string text;
  for (int i = 0; i < 60; ++i) text += "A bird is bathing in a sink. ";
  const nlohmann::json cut =
      run_program({"tag", "--model", folder.string(), "--long-text", "cut", "--format", "json", text}).json();
  const nlohmann::json whole =
      run_program({"tag", "--model", folder.string(), "--stride", "16", "--format", "json", text}).json();
  EXPECT_GT(cut["truncated_tokens"], 0);
  EXPECT_EQ(whole["truncated_tokens"], 0);
  EXPECT_GT(whole["entities"].size(), cut["entities"].size());
  EXPECT_EQ(run_program({"tag", "--model", folder.string(), "--format", "json", text}).json(),
            run_program({"tag", "--model", folder.string(), "--stride", "32", "--format", "json", text}).json());
  EXPECT_FALSE(whole.contains("window"));
}

// A text of 12,000 words: every entity once, with its place, by labels of the user's and by the model's own.
TEST(Tag, FindsEveryEntityOfALongText) {
  const TemporaryDirectory gliner, tagger, files;
  write_firing_gliner(gliner);
  write_firing_tagger(tagger, {{"brown", "B-ANIMAL"}, {"fox", "E-ANIMAL"}});
  std::vector<size_t> places;
  for (size_t place = 0; place + 1 < 12000; place += 13) places.push_back(place);
  const std::string text = text_with_foxes(12000, places);
  files.write("text.txt", text);
  const std::string input = (files.path() / "text.txt").string();
  const auto entities = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--stride", "8", "--input", input, "--format", "json"});
    return run_program(arguments).json();
  };
  const auto expect_all = [&](const nlohmann::json& result, const std::string& label) {
    EXPECT_EQ(result["truncated_tokens"], 0);
    ASSERT_EQ(result["entities"].size(), places.size());
    size_t at = text.find("brown fox");
    for (const nlohmann::json& entity : result["entities"]) {
      ASSERT_EQ(entity["start"], at);
      ASSERT_EQ(entity["end"], at + 9);
      ASSERT_EQ(entity["entity"], label);
      at = text.find("brown fox", at + 1);
    }
  };
  expect_all(entities({"tag", "--model", gliner.path().string(), "--labels", "coding,dog"}), "coding");
  expect_all(entities({"tag", "--model", tagger.path().string(), "--aggregation", "simple"}), "ANIMAL");
  const nlohmann::json as_iob =
      entities({"tag", "--model", tagger.path().string(), "--aggregation", "simple", "--scheme", "iob"});
  EXPECT_EQ(as_iob["entities"].size(), 2 * places.size());
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
  EXPECT_NE(tagged({"--aggregation", "simple"}).json_lines()[0]["error"].get<std::string>().find("not simple"),
            std::string::npos);
  EXPECT_EQ(tagged({"--aggregation", "max"}).json_lines()[0]["words"][1]["label"], "I-PER");
}

TEST(Tag, FindsTheLabelsThatItIsGiven) {
  const TemporaryDirectory directory;
  write_tiny_gliner(directory);
  const std::vector<std::string> command = {"tag",         "--model", directory.path().string(), "--format", "jsonl",
                                            "--threshold", "0.05"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  };
  const nlohmann::json found = with({"--labels", "dog, fox", "é the quick fox jumps over the lazy dog"}).json();
  ASSERT_FALSE(found["entities"].empty());
  const nlohmann::json& last = found["entities"].back();
  EXPECT_TRUE(last["entity"] == "dog" || last["entity"] == "fox");
  EXPECT_EQ(last["start"].get<int>(), last["code_point_start"].get<int>() + 1);
  EXPECT_EQ(found["entities"],
            with({"--label", "dog", "--label", "fox", "é the quick fox jumps over the lazy dog"}).json()["entities"]);
  const nlohmann::json utf16 =
      with({"--labels", "dog,fox", "--offsets", "utf16", "\U0001F600 quick fox jumps over the lazy dog"}).json();
  const nlohmann::json bytes = with({"--labels", "dog,fox", "\U0001F600 quick fox jumps over the lazy dog"}).json();
  EXPECT_EQ(utf16["offset_unit"], "utf16");
  ASSERT_FALSE(utf16["entities"].empty());
  EXPECT_EQ(utf16["entities"].back()["end"], bytes["entities"].back()["end"].get<int>() - 2);
  EXPECT_FALSE(utf16["entities"].back().contains("code_point_end"));
  EXPECT_GE(with({"--labels", "dog,fox", "--nested", "the quick fox jumps"}).json()["entities"].size(), 1u);
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
  EXPECT_NE(refusal({"--labels", "dog", "--aggregation", "simple"}).find("not with --labels"), std::string::npos);
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

// The labels of neighboring tokens are steps of the scheme; each token's best labels are not.
TEST(Tag, DecodesLabelsWhereTheDirectoryHasBiases) {
  const TemporaryDirectory directory, never;
  write_tiny_privacy_filter(directory);
  write_tiny_privacy_filter(never, -1e6);
  const auto labels = [](const TemporaryDirectory& model, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"tag",
                                      "--model",
                                      model.path().string(),
                                      "--aggregation",
                                      "none",
                                      "--format",
                                      "json",
                                      "the quick brown fox jumps over the lazy dog and the cat"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = run_program(words);
    EXPECT_EQ(result.status, 0) << result.err;
    std::map<size_t, char> found;  // by place
    const nlohmann::json entities = result.json()["entities"];
    for (const auto& one : entities) found[one["start"]] = one["entity"].get<std::string>()[0];
    return found;
  };
  const auto is_valid = [](const std::map<size_t, char>& found) {
    bool is_open = false;
    for (const auto& [start, letter] : found) {
      if (is_open != (letter == 'I' || letter == 'E')) return false;
      is_open = letter == 'B' || letter == 'I';
    }
    return !is_open;
  };
  const std::map<size_t, char> decoded = labels(directory, {}), each = labels(directory, {"--scheme", "iob"});
  EXPECT_FALSE(decoded.empty());
  EXPECT_TRUE(is_valid(decoded));
  EXPECT_FALSE(is_valid(each));
  EXPECT_TRUE(labels(never, {}).empty());
  EXPECT_EQ(labels(never, {"--scheme", "iob"}), each);
  directory.write("viterbi_calibration.json", "{}");
  const ProgramResult refused = run_program({"tag", "--model", directory.path().string(), "a"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find("viterbi_calibration.json': operating_points: missing"), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace bert::test
