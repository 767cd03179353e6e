// Tests the command tokenize, from text to ids and back.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/program/cli/program.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_gliclass.h"

namespace bert::test {
namespace {

TEST(Tokenize, PrintsATableForAPerson) {
  const ProgramResult result = run_program({"tokenize", "a brown dog"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  const std::vector<std::string> lines = lines_of(result.out);
  ASSERT_EQ(lines.size(), 6u) << result.out;
  for (const char* title : {"token", "id", "segment", "bytes", "word"})
    EXPECT_NE(lines[0].find(title), std::string::npos);
  EXPECT_NE(lines[3].find("2-7"), std::string::npos) << lines[3];
}

TEST(Tokenize, PrintsALineOfIdsAText) {
  const ProgramResult result = run_program({"tokenize", "--format", "ids", "a dog", ""});
  const std::vector<std::string> lines = lines_of(result.out);
  ASSERT_EQ(lines.size(), 2u);
  const std::vector<int> ids = run_program({"tokenize", "--format", "json", "a dog"}).json()["ids"];
  std::string expected;
  for (const int id : ids) expected += (expected.empty() ? "" : " ") + std::to_string(id);
  EXPECT_EQ(lines[0], expected);
}

// 😀 has four bytes and two units of UTF-16.
TEST(Tokenize, GivesOffsetsInOneUnitWhereAsked) {
  const std::string text = "\u00e9 \U0001F600 dog";
  const nlohmann::json both = run_program({"tokenize", "--format", "json", text}).json();
  EXPECT_FALSE(both.contains("offset_unit"));
  EXPECT_EQ(both["offsets"][3], (std::vector<int>{8, 11}));
  EXPECT_EQ(both["code_point_offsets"][3], (std::vector<int>{4, 7}));
  const nlohmann::json one = run_program({"tokenize", "--format", "json", "--offsets", "utf16", text}).json();
  EXPECT_EQ(one["offset_unit"], "utf16");
  EXPECT_FALSE(one.contains("code_point_offsets"));
  const std::string table = run_program({"tokenize", "--offsets", "utf16", text}).out;
  EXPECT_NE(table.find("utf16"), std::string::npos);
  EXPECT_NE(table.find(" 5-8 "), std::string::npos) << table;
  // The offsets of a later window count from the beginning of the whole text.
  const std::vector<nlohmann::json> windows =
      run_program({"tokenize", "--format", "jsonl", "--offsets", "utf16", "--max-length", "4", "--stride", "0", text})
          .json_lines();
  ASSERT_EQ(windows.size(), 2u);
  EXPECT_EQ(windows[1]["offsets"][1], (std::vector<int>{5, 8}));
  EXPECT_EQ(run_program({"tokenize", "--format", "ids", "--offsets", "utf16", text}).status, 2);
  EXPECT_EQ(run_program({"tokenize", "--decode", "--offsets", "utf16", "5"}).status, 2);
}

TEST(Tokenize, TakesWordsThatTheCallerDivided) {
  const auto tokens = [](const std::string& line, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"tokenize", "--jsonl", "--input", "-", "--format", "jsonl"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments, {.standard_input = line + "\n"}).json();
  };
  const nlohmann::json words = tokens(R"({"words": ["The dog", "jumps"]})");
  const nlohmann::json text = run_program({"tokenize", "--format", "json", "The dog jumps"}).json();
  EXPECT_EQ(words["ids"], text["ids"]);
  EXPECT_EQ(words["word_ids"], (nlohmann::json{nullptr, 0, 0, 1, 1, nullptr}));
  EXPECT_EQ(words["offsets"][2], (std::vector<int>{4, 7}));
  EXPECT_EQ(words["offsets"][3], (std::vector<int>{0, 4}));
  EXPECT_EQ(tokens("{\"words\": [\"a\", \"\U0001F600 dog\"]}", {"--offsets", "utf16"})["offsets"][3],
            (std::vector<int>{3, 6}));
  EXPECT_NE(tokens(R"({"words": ["a"]})", {"--stride", "1", "--max-length", "8"})["error"].get<std::string>().find(
                "without windows"),
            std::string::npos);
  const nlohmann::json encoded = run_program({"encode", "--jsonl", "--input", "-", "--format", "json"},
                                             {.standard_input = R"({"words": ["The dog", "jumps"]})"
                                                                "\n"})
                                     .json();
  EXPECT_EQ(encoded["last_hidden_state"],
            run_program({"encode", "--format", "json", "The dog jumps"}).json()["last_hidden_state"]);
  EXPECT_NE(run_program({"embed", "--jsonl", "--input", "-"}, {.standard_input = "{\"words\": [\"a\"]}\n"})
                .err.find("neither \"text\" nor \"ids\""),
            std::string::npos);
}

TEST(Tokenize, NeedsOnlyTheTokenizersFiles) {
  BERT_TEST_DATA_OR_SKIP(path, "vocab/bert-base-uncased-vocab.txt");
  const TemporaryDirectory folder;
  std::filesystem::copy(path, folder.path() / "vocab.txt");
  const ProgramResult result = run_program(
      {"tokenize", "--model", folder.path().string(), "--uncased", "--format", "ids", "The quick brown fox"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "101 1996 4248 2829 4419 102\n");
}

TEST(Tokenize, TakesAModelThatReadsLabels) {
  const TemporaryDirectory directory;
  write_tiny_gliclass(directory);
  const std::string name = directory.path().string();
  const ProgramResult result = run_program({"tokenize", "--model", name, "--format", "ids", "<<LABEL>> fox <<SEP>>"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "2 40 8 41 3\n");  // found by hand
  EXPECT_EQ(run_program({"classify", "--model", name, "--labels", "fox,dog", "the fox"}).status, 0);
}

TEST(Tokenize, KeepsCapitalsWhereAsked) {
  BERT_TEST_DATA_OR_SKIP(path, "vocab/bert-base-cased-vocab.txt");
  const TemporaryDirectory folder;
  std::filesystem::copy(path, folder.path() / "vocab.txt");
  const ProgramResult result =
      run_program({"tokenize", "--model", folder.path().string(), "--cased", "--format", "json", "The fox"});
  EXPECT_EQ(result.json()["tokens"][1], "The");
}

TEST(Tokenize, RefusesIds) {
  const ProgramResult result = run_program({"tokenize", "--format", "jsonl", "--input", "-", "--jsonl"},
                                           {.standard_input = "{\"ids\": [2]}\n{\"text\": \"a\"}\n"});
  EXPECT_EQ(result.status, 1);
  EXPECT_TRUE(result.json_lines()[0].contains("error"));
}

TEST(Decode, GoesBackToText) {
  const std::string ids = run_program({"tokenize", "--format", "ids", "a brown dog"}).out;
  const ProgramResult one = run_program({"tokenize", "--decode", ids.substr(0, ids.size() - 1)});
  EXPECT_EQ(one.status, 0);
  EXPECT_EQ(one.out, "[CLS] a brown dog [SEP]\n");
  std::vector<std::string> words = {"tokenize", "--decode", "--skip-special-tokens"};
  for (size_t at = 0; at < ids.size();) {
    const size_t end = ids.find_first_of(" \n", at);
    words.push_back(ids.substr(at, end - at));
    at = end + 1;
  }
  EXPECT_EQ(run_program(words).out, "a brown dog\n");
  const std::vector<int> numbers = run_program({"tokenize", "--format", "json", "a brown dog"}).json()["ids"];
  EXPECT_EQ(run_program({"tokenize", "--decode", nlohmann::json(numbers).dump()}).out, one.out);
}

TEST(Decode, TakesLinesAndObjects) {
  const std::string ids = run_program({"tokenize", "--format", "ids", "a dog", "a cat"}).out;
  EXPECT_EQ(run_program({"tokenize", "--decode", "--input", "-"}, {.standard_input = ids}).out,
            "[CLS] a dog [SEP]\n[CLS] a cat [SEP]\n");
  const std::string objects = run_program({"tokenize", "--format", "jsonl", "a dog"}).out;
  const ProgramResult result = run_program({"tokenize", "--decode", "--format", "jsonl", "--input", "-", "--jsonl"},
                                           {.standard_input = objects});
  EXPECT_EQ(result.json_lines().at(0)["text"], "[CLS] a dog [SEP]");
  EXPECT_EQ(result.json_lines().at(0)["ids"], nlohmann::json::parse(objects)["ids"]);
}

TEST(Decode, KnowsTheTokenOfABlankLine) {
  const TemporaryDirectory folder;
  write_file(folder, "vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n\nb\n");
  const auto decode = [&](const std::string& ids) {
    return run_program({"tokenize", "--model", folder.path().string(), "--uncased", "--decode", ids});
  };
  const ProgramResult blank = decode("5 6 7");
  EXPECT_EQ(blank.status, 0) << blank.err;
  EXPECT_EQ(blank.out.front(), 'a');
  EXPECT_NE(decode("8").err.find("no token has the id 8; the vocabulary ends at 7"), std::string::npos);
}

TEST(Decode, RefusesWhatIsNoId) {
  for (const char* ids : {"dog", "1.5", "99999999", "-1", "99999999999999999999"}) {
    const ProgramResult result = run_program({"tokenize", "--decode", "--format", "json", "--", ids});
    EXPECT_EQ(result.status, 1) << ids;
    EXPECT_TRUE(result.json().contains("error")) << ids;
  }
}

}  // namespace
}  // namespace bert::test
