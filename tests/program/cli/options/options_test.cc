// Tests the values of options, and the environment variables that give their defaults.
#include <gtest/gtest.h>

#include <cctype>
#include <functional>
#include <limits>
#include <regex>

#include "tests/program/cli/program.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

void expect_refused(const std::vector<std::string>& arguments, const std::string& says) {
  const ProgramResult result = run_program(arguments);
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find(says), std::string::npos) << result.err;
}

TEST(Options, RefuseValuesThatCannotBe) {
  expect_refused({"--max-length", "many", "a"}, "--max-length 'many'");
  expect_refused({"--max-length", "-1", "a"}, "--max-length '-1'");
  expect_refused({"--batch-tokens", "0", "a"}, "1 or more");
  expect_refused({"--threads", "two", "a"}, "--threads 'two'");
  expect_refused({"--format", "xml", "a"}, "text, json, jsonl, npz");
  expect_refused({"--gemm", "mkl", "a"}, "auto, native, portable, openblas");
  expect_refused({"--truncation", "any", "a"}, "longest_first, only_first, only_second, error");
  for (const char* value : {"0", "1", "-1", "nan", "1e-4x", ""}) {
    expect_refused({"distill", "--sif-coefficient", value, "a", "b"}, "expected a number above 0 and below 1");
  }
  expect_refused({"embed", "--pooling", "sum", "a"}, "cls, mean, max, pooler");
  expect_refused({"--output", "", "a"}, "--output '': expected FILE");
  expect_refused({"--layers=foo", "a"}, "--layers 'foo': expected true or false");
}

TEST(Options, RefuseContradictions) {
  expect_refused({"--cased", "--uncased", "a"}, "--cased");
  expect_refused({"embed", "--normalize", "--no-normalize", "a"}, "--normalize excludes --no-normalize");
  expect_refused({"--format", "json", "--format", "text", "a"}, "--format is given 2 times, expected once");
  expect_refused({"--stride", "2", "--truncation", "error", "a"}, "--stride");
  expect_refused({"--jsonl", "a"}, "--input");
  expect_refused({"--input", "-", "a"}, "both --input and a TEXT 'a'");
  expect_refused({"--input", "-", "--pair", "b"}, "--pair");
  expect_refused({"--pair", "b", "--pair", "c", "a"}, "1 TEXT, 2 --pair");
  expect_refused({"tokenize", "--decode", "--format", "ids", "1"}, "--decode");
  expect_refused({"tokenize", "--decode", "--pair", "1", "1"}, "--pair");
  expect_refused({"tokenize", "--decode", "--max-length", "4", "1"}, "--max-length");
  expect_refused({"tokenize", "--decode", "--truncation", "error", "1"}, "--truncation does not go with it");
  expect_refused({"tokenize", "--decode", "--split-special-tokens", "1"}, "--split-special-tokens does not go with it");
  expect_refused({"tokenize", "--skip-special-tokens", "a"}, "--skip-special-tokens goes with --decode");
}

TEST(Options, ComeFromTheEnvironment) {
  const ProgramResult result = run_program({"tokenize", "a dog"}, {.environment = {{"BERT_INFER_FORMAT", "ids"}}});
  EXPECT_EQ(result.out, run_program({"tokenize", "--format", "ids", "a dog"}).out);
}

TEST(Options, OfTheCommandLineWinOverTheEnvironment) {
  const ProgramResult result =
      run_program({"tokenize", "--format", "ids", "a"}, {.environment = {{"BERT_INFER_FORMAT", "json"}}});
  EXPECT_EQ(result.out, run_program({"tokenize", "--format", "ids", "a"}).out);
}

TEST(Options, OfTheCommandLineWinOverTheirOppositesInTheEnvironment) {
  const ProgramResult result =
      run_program({"tokenize", "--cased", "a"}, {.environment = {{"BERT_INFER_UNCASED", "1"}}});
  EXPECT_EQ(result.err, run_program({"tokenize", "--cased", "a"}).err);
}

TEST(Options, SayWhereAWrongValueIs) {
  const auto error_of = [](const std::vector<std::string>& words, const char* variable, const char* value) {
    const ProgramResult result = run_program(words, {.environment = {{variable, value}}});
    EXPECT_EQ(result.status, 2);
    return result.err;
  };
  EXPECT_EQ(error_of({"a"}, "BERT_INFER_MAX_LENGTH", "many"),
            "bert-infer: error: BERT_INFER_MAX_LENGTH 'many': expected a whole number of 0 or more\n");
  EXPECT_EQ(error_of({"a"}, "BERT_INFER_FORMAT", "x"),
            "bert-infer: error: BERT_INFER_FORMAT 'x': expected one of text, json, jsonl, npz\n");
  EXPECT_EQ(error_of({"a"}, "BERT_INFER_JSONL", "maybe"),
            "bert-infer: error: BERT_INFER_JSONL 'maybe': expected true or false\n");
  EXPECT_EQ(error_of({"embed", "a"}, "BERT_INFER_NORMALIZE", "x"),
            "bert-infer: error: BERT_INFER_NORMALIZE 'x': expected true or false\n");
  EXPECT_EQ(error_of({"--threads", "1025", "a"}, "BERT_INFER_THREADS", "1"),
            "bert-infer: error: --threads '1025': expected a whole number of 0 to 1024\n");
  EXPECT_EQ(error_of({"--jsonl=maybe", "a"}, "BERT_INFER_JSONL", "1"),
            "bert-infer: error: --jsonl 'maybe': expected true or false\n");
}

TEST(Options, TakeFlagsFromTheEnvironment) {
  const ProgramResult on = run_program({"embed", "a dog"}, {.environment = {{"BERT_INFER_NORMALIZE", "1"}}});
  const ProgramResult off = run_program({"embed", "a dog"}, {.environment = {{"BERT_INFER_NORMALIZE", "0"}}});
  EXPECT_EQ(on.out, run_program({"embed", "--normalize", "a dog"}).out);
  EXPECT_EQ(off.out, run_program({"embed", "--no-normalize", "a dog"}).out);
  EXPECT_NE(on.out, off.out);
}

TEST(Options, HaveAnEnvironmentVariableEach) {
  const std::vector<std::string> commands = command_names();
  EXPECT_GE(commands.size(), 19u);
  for (const std::string& command : commands) {
    const std::string help = run_program({command, "--help-all"}).out;
    const std::string flat = std::regex_replace(help, std::regex("\n {20,}"), " ");
    size_t options = 0;
    for (const std::string& line : lines_of(flat)) {
      if (!line.starts_with("  --")) continue;
      ++options;
      std::string variable = line.substr(4, line.find_first_of(" ,", 4) - 4);
      for (char& c : variable) c = c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      EXPECT_NE(line.find("[BERT_INFER_" + variable + "]"), std::string::npos) << command << line;
    }
    EXPECT_GE(options, command == "fetch" ? 3u : 5u) << command;
  }
}

TEST(Options, ForSpeedLeaveTheNumbersAlone) {
  const std::string expected = run_program({"embed", "a dog", "the brown cat sat"}).out;
  for (const std::vector<std::string>& options : {std::vector<std::string>{"--threads", "1"},
                                                  {"--threads", "3"},
                                                  {"--batch-tokens", "1"},
                                                  {"--batch-tokens", "7"},
                                                  {"--gemm", "native"},
                                                  {"--gemm", "portable"}}) {
    std::vector<std::string> arguments = {"embed", "a dog", "the brown cat sat"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    EXPECT_EQ(run_program(arguments).out, expected) << options[0] << ' ' << options[1];
  }
}

// Returns the exit status of embed on a tiny model whose tensors `edit` changed. Expects `says` in its messages.
int status_of(const std::vector<std::string>& options, const std::function<void(TinyTensors&)>& edit,
              const std::string& says) {
  const TemporaryDirectory folder;
  write_tiny_model(folder, {}, edit);
  std::vector<std::string> arguments = {"embed", "--model", folder.path().string(), "fox"};
  arguments.insert(arguments.begin() + 1, options.begin(), options.end());
  const ProgramResult result = run_program(arguments);
  EXPECT_NE(result.err.find(says), std::string::npos) << result.err;
  return result.status;
}

TEST(Options, ForCheckpointsDoWhatTheySay) {
  const auto stray = [](TinyTensors& tensors) { tensors["encoder.layer.0.adapter.weight"] = {{2}, {1, 2}}; };
  EXPECT_EQ(status_of({}, stray, "encoder.layer.0.adapter.weight"), 1);
  EXPECT_EQ(status_of({"--ignore-unexpected"}, stray, ""), 0);
  // Sets a NaN in the embedding of a word that the text does not have.
  const auto not_a_number = [](TinyTensors& tensors) {
    tensors["embeddings.word_embeddings.weight"].values.back() = std::numeric_limits<float>::quiet_NaN();
  };
  EXPECT_EQ(status_of({}, not_a_number, ""), 0);
  EXPECT_EQ(status_of({"--check-tensors"}, not_a_number, "embeddings.word_embeddings.weight"), 1);
}

}  // namespace
}  // namespace bert::test
