// Checks that the memory of a long run does not grow with the lines.
#include <gtest/gtest.h>

#include "tests/program/cli/program.h"
#include "tests/support/sanitizers.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

size_t peak_of(size_t lines, const std::string& command) {
  std::string text;
  for (size_t i = 0; i < lines; ++i) text += "the brown dog number " + std::to_string(i) + "\n";
  const TemporaryDirectory folder;
  const ProgramResult result = run_program(
      {command, "--input", write_file(folder, "lines", text), "--format", "jsonl", "--output", "/dev/null"});
  EXPECT_EQ(result.status, 0) << result.err;
  return result.peak_bytes;
}

// embed would take minutes for 100,000 lines. tokenize runs the same code on them, and embed runs on fewer.
TEST(RunSummary, HoldsTheSameMemoryForManyLinesAsForFew) {
#if BERT_SANITIZED
  GTEST_SKIP() << "SKIPPED, a sanitizer keeps freed memory";
#endif
  constexpr size_t kSlack = 20u << 20;
  EXPECT_LT(peak_of(100'000, "tokenize"), peak_of(5'000, "tokenize") + kSlack);
  EXPECT_LT(peak_of(2'000, "embed"), peak_of(200, "embed") + kSlack);
}

TEST(RunSummary, SaysWhereARevisionIsNotUsed) {
  ProgramResult result = run_program({"embed", "--revision", "v2", "a"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err,
            "bert-infer: note: --revision 'v2' is not used: it is of a model in the hub's local cache, not of the "
            "built-in model\n");
  const TemporaryDirectory folder;
  write_file(folder, "vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n");
  result = run_program({"tokenize", "--model", folder.path().string(), "--uncased", "--revision", "v2", "a"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.err.find("local cache, and '" + folder.path().string() + "' is a directory\n"), std::string::npos)
      << result.err;
}

// "你好世界" is four characters that the built-in model's vocabulary lacks.
TEST(RunSummary, TellsWhatTheOptionsDecideIfAskedTo) {
  const TemporaryDirectory folder;
  write_file(folder, "tokenizer.json",
             R"({"truncation": {"direction": "Right", "max_length": 8, "strategy": "LongestFirst", "stride": 0},
                 "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                           "max_input_chars_per_word": 100, "vocab": {"[UNK]": 0, "a": 1}}})");
  std::vector<std::string> words = {"tokenize", "--model", folder.path().string(), "a"};
  const ProgramResult quiet = run_program(words);
  EXPECT_EQ(quiet.status, 0);
  EXPECT_EQ(quiet.err, "");
  words.push_back("--verbose");
  EXPECT_EQ(run_program(words).err,
            "bert-infer: note: '" + (folder.path() / "tokenizer.json").string() +
                "': its own truncation (max_length 8) is not applied; length and padding are the caller's\n");
}

TEST(RunSummary, TellsOnceOfTextsThatAreMostlyUnknown) {
  const std::string chinese = "\u4f60\u597d\u4e16\u754c";
  ProgramResult result = run_program({"embed", "--format", "jsonl", chinese, "a dog", chinese});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.json_lines()[0]["unknown_tokens"], 4);
  EXPECT_EQ(result.json_lines()[1]["unknown_tokens"], 0);
  EXPECT_EQ(result.err,
            "bert-infer: note: 2 texts have half or more of their tokens unknown to the model (unknown_tokens in each "
            "result)\n");
  result = run_program({"similarity", "--format", "json", "a dog barks at the fox", chinese});
  EXPECT_EQ(result.json()["unknown_tokens"], 4);
  EXPECT_EQ(result.err,
            "bert-infer: note: 1 text has half or more of its tokens unknown to the model (unknown_tokens in each "
            "result)\n");
}

// "a dog" has four tokens, each with one coarse row.
TEST(RunSummary, TellsOnceOfRowsThatEightBitsHardlyHold) {
  const TemporaryDirectory folder, ordinary;
  write_tiny_coarse_model(folder);
  write_tiny_model(ordinary, {.hidden = 96});
  const auto note_of = [](const TemporaryDirectory& model, const std::vector<std::string>& texts,
                          const std::string& precision = "int8") {
    std::vector<std::string> arguments = {"embed",     "--model", model.path().string(), "--precision", precision,
                                          "--pooling", "mean"};
    arguments.insert(arguments.end(), texts.begin(), texts.end());
    const ProgramResult result = run_program(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    std::string found;
    for (const std::string& line : lines_of(result.err)) {
      if (line.find("8 bits hardly hold") != line.npos) found += line;
    }
    return found;
  };
  const std::string rest =
      " of activations that 8 bits hardly hold: one number is so large that the others are below one step (quantize "
      "--report names the layers)";
  EXPECT_EQ(note_of(folder, {"a dog", "the"}), "bert-infer: note: 2 texts have 7 rows" + rest);
  EXPECT_EQ(note_of(folder, {"a dog"}), "bert-infer: note: 1 text has 4 rows" + rest);
  EXPECT_EQ(note_of(folder, {"a dog"}, "float32"), "");
  EXPECT_EQ(note_of(ordinary, {"a dog"}), "");
}

}  // namespace
}  // namespace bert::test
