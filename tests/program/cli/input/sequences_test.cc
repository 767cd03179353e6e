// Tests texts that are too long: they are cut as asked and counted, and one notice says so. Also tests limits that
// cannot be kept.
#include <gtest/gtest.h>

#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"

namespace bert::test {
namespace {

ProgramResult tokenize(std::vector<std::string> options) {
  options.insert(options.begin(), {"tokenize", "--format", "jsonl"});
  return run_program(options);
}

TEST(Sequences, AreCutAndCounted) {
  const ProgramResult result = tokenize({"--max-length", "4", "a b c d", "a", "a b c"});
  EXPECT_EQ(result.status, 0);
  const std::vector<nlohmann::json> objects = result.json_lines();
  EXPECT_EQ(objects[0]["truncated_tokens"], 2);
  EXPECT_EQ(objects[0]["ids"].size(), 4u);
  EXPECT_EQ(objects[1]["truncated_tokens"], 0);
  EXPECT_EQ(objects[2]["truncated_tokens"], 1);
  ASSERT_EQ(lines_of(result.err).size(), 1u) << result.err;
  EXPECT_TRUE(
      result.err.starts_with("bert-infer: note: 2 texts were too long and cut to 4 tokens; 3 tokens were left out"))
      << result.err;
}

TEST(Sequences, AreCutByEachStrategy) {
  const std::vector<std::string> base = {"--max-length", "7", "--pair", "d e f", "a b c", "--truncation"};
  const auto segments = [&](const std::string& strategy) {
    std::vector<std::string> options = base;
    options.push_back(strategy);
    const std::vector<int> types = tokenize(options).json_lines().at(0)["type_ids"];
    return std::count(types.begin(), types.end(), 0);
  };
  EXPECT_EQ(segments("longest_first"), 4);  // [CLS] a b [SEP] | d e [SEP]
  EXPECT_EQ(segments("only_first"), 3);     // [CLS] a [SEP] | d e f [SEP]
  EXPECT_EQ(segments("only_second"), 5);    // [CLS] a b c [SEP] | d [SEP]
}

TEST(Sequences, AreRefusedWhereAsked) {
  const ProgramResult result = tokenize({"--max-length", "4", "--truncation", "error", "a b c d", "a"});
  EXPECT_EQ(result.status, 1);
  EXPECT_TRUE(result.json_lines()[0].contains("error"));
  EXPECT_TRUE(result.json_lines()[1].contains("ids"));
}

TEST(Sequences, HaveNoLimitAtZeroInTokenizeOnly) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "a ";
  EXPECT_EQ(tokenize({"--max-length", "0", text}).json_lines()[0]["ids"].size(), 2002u);
  const ProgramResult refused = run_program({"embed", "--max-length", "0", "a"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("tokenize only"), std::string::npos);
}

TEST(Sequences, MayNotPassThePositionTable) {
  for (const char* command : {"encode", "embed", "tokenize"}) {
    const ProgramResult result = run_program({command, "--max-length", "1000000", "a"});
    EXPECT_EQ(result.status, 1) << command;
    EXPECT_NE(result.err.find("expected at most 128, the model's positions"), std::string::npos) << result.err;
  }
}

TEST(Sequences, NeedRoomForSpecialTokensAndStride) {
  EXPECT_EQ(tokenize({"--max-length", "1", "a"}).status, 1);
  EXPECT_EQ(tokenize({"--max-length", "8", "--stride", "6", "a"}).status, 1);
  EXPECT_EQ(tokenize({"--max-length", "8", "--stride", "5", "a"}).status, 0);
}

// A pair has three special tokens, so 3 tokens leave no room for text.
TEST(Sequences, AreNoWindowsWithoutRoomForText) {
  const ProgramResult result = tokenize({"--max-length", "3", "--stride", "0", "--pair", "x y", "a b"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err,
            "bert-infer: error: text 1: windows of 3 tokens (max_length) have no room for text beside the 3 special "
            "tokens\n");
  EXPECT_EQ(tokenize({"--max-length", "3", "--stride", "18446744073709551615", "a"}).err,
            "bert-infer: error: --stride 18446744073709551615 leaves nothing new for a window of 3 tokens, 2 of them "
            "special\n");
}

TEST(Sequences, ReadSpecialTokensAsTextWhereAsked) {
  EXPECT_EQ(tokenize({"[SEP]"}).json_lines()[0]["ids"].size(), 3u);
  EXPECT_GT(tokenize({"--split-special-tokens", "[SEP]"}).json_lines()[0]["ids"].size(), 3u);
}

// Each line is answered without waiting for a full batch or for the end of the pipe. The time limit is long enough for
// a busy machine.
TEST(Sequences, AreAnsweredLineByLineWhileAPipeStaysOpen) {
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"embed"},
                                             {"encode", "--format", "jsonl"},
                                             {"fill-mask", "--format", "jsonl"},
                                             {"tokenize", "--format", "ids"},
                                             {"tokenize", "--decode"}}) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--input", "-"});
    const OpenProgram program(arguments);
    for (const char* line : {"101\n", "102\n", "103\n"}) {
      program.write(line);
      EXPECT_NE(program.read_line(std::chrono::seconds(60)), "") << command[0];
    }
  }
  const OpenProgram similarity({"similarity", "--input", "-", "--jsonl"});
  similarity.write(R"({"text": "a man", "pair": "a man"})"
                   "\n");
  EXPECT_EQ(similarity.read_line(std::chrono::seconds(60)), "1.000000\n");
}

TEST(Sequences, HaveTheModelsOwnLimit) {
  BERT_TEST_DATA_OR_SKIP(path, "checkpoint/bert-tiny-own");
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "a ";
  const nlohmann::json inspected = run_program({"inspect", "--model", path.string(), "--format", "json"}).json();
  const nlohmann::json object = run_program({"tokenize", "--model", path.string(), "--format", "json", text}).json();
  EXPECT_EQ(object["ids"].size(), inspected["max_length"]);
  EXPECT_EQ(object["truncated_tokens"], 2002 - inspected["max_length"].get<int>());
}

}  // namespace
}  // namespace bert::test
