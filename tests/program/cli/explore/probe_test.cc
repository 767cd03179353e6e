// Tests the command probe.
#include <gtest/gtest.h>

#include "tests/program/cli/program.h"
#include "tests/support/sanitizers.h"
#include "tests/support/test_data.h"

namespace bert::test {
namespace {

// Returns lines of three words in many orders, so that word and position are not correlated.
std::string some_lines() {
  std::string text;
  const char* words[] = {"dog", "cat", "the", "a", "fox"};
  for (size_t i = 0; i < 5; ++i) {
    for (size_t j = 0; j < 5; ++j) text += std::string(words[i]) + " " + words[j] + " " + words[(i + 2 * j) % 5] + "\n";
  }
  return text;
}

TEST(Probe, SeparatesWordAndPosition) {
  const TemporaryDirectory folder;
  const ProgramResult result = run_program({"probe", "--format", "json", write_file(folder, "lines", some_lines())});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const nlohmann::json object = result.json();
  EXPECT_EQ(object["texts"], 25);
  EXPECT_EQ(object["tokens"], 75);
  EXPECT_EQ(object["words"], 5);
  EXPECT_EQ(object["position_count"], 4);  // the first one is [CLS]'s
  ASSERT_EQ(object["word"].size(), 13u);
  // But for LayerNorm, an embedding is the sum of a word vector and a position vector.
  EXPECT_GT(object["both"][0], 0.98);
  EXPECT_NEAR(object["word"][0].get<double>() + object["position"][0].get<double>(), 1, 0.05);
  for (size_t layer = 0; layer < 13; ++layer) {
    EXPECT_NEAR(object["both"][layer].get<double>() + object["neither"][layer].get<double>(), 1, 1e-9);
  }
}

// The texts of a csv file and of a folder are those that --input reads of them, not the lines of the file.
TEST(Probe, ReadsAFileByTheEndingOfItsName) {
  const TemporaryDirectory folder, notes;
  const std::string lines = write_file(notes, "lines.txt", some_lines());
  std::string columns = "label,text\n";
  for (const std::string& line : lines_of(some_lines())) columns += "x," + line + "\n";
  const std::string expected = run_program({"probe", lines}).out;
  for (const std::string& path : {write_file(folder, "columns.csv", columns), notes.path().string()}) {
    const ProgramResult result = run_program({"probe", path});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.out, expected) << path;
  }
}

// Each position has a different word, so that the word determines the position.
TEST(Probe, SaysWherePositionAndWordAreConfounded) {
  const TemporaryDirectory folder;
  std::string lines;
  for (const char* animal : {"dog", "cat", "fox"}) {
    for (const char* verb : {"ran", "sat", "saw"}) lines += "the " + std::string(animal) + " " + verb + "\n";
  }
  const std::string file = write_file(folder, "template", lines);
  const nlohmann::json object = run_program({"probe", "--format", "json", file}).json();
  ASSERT_TRUE(object["confounded_layer"].is_number());
  EXPECT_NE(run_program({"probe", file}).out.find("position and word are confounded in these texts"),
            std::string::npos);
  const std::string others = write_file(folder, "others", some_lines());
  EXPECT_TRUE(run_program({"probe", "--format", "json", others}).json()["confounded_layer"].is_null());
}

TEST(Probe, RefusesTextsWithoutVarianceOrTokens) {
  const TemporaryDirectory folder;
  const auto error_of = [&](const std::string& name, const std::string& text) {
    const ProgramResult result = run_program({"probe", write_file(folder, name, text)});
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_NE(error_of("same", "a\na\na\na\na\na\na\n").find("all tokens have the same vector in layer 0"),
            std::string::npos);
  EXPECT_NE(error_of("blank", "\n\n").find("no tokens in"), std::string::npos);
  EXPECT_NE(error_of("none", "").find("no text in"), std::string::npos);
  EXPECT_NE(error_of("bad", "\xFF\n\xFF\n").find("no valid text in"), std::string::npos);
}

TEST(Probe, ReadsStandardInputAndReportsOmittedTokens) {
  const ProgramResult result =
      run_program({"probe", "--words", "3", "-"}, {.standard_input = some_lines() + some_lines()});
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.err.find("of words after the first 3 were left out"), std::string::npos) << result.err;
  EXPECT_EQ(lines_of(result.out).size(), 2u + 13 + 2);
}

TEST(Probe, ContinuesAfterABadLine) {
  const ProgramResult result =
      run_program({"probe", "--format", "json", "-"}, {.standard_input = some_lines() + "\xff\n" + some_lines()});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("line 26: "), std::string::npos) << result.err;
  EXPECT_EQ(result.json()["texts"], 50);
}

TEST(Probe, RefusesTooFewTokensAndMissingInput) {
  const ProgramResult few = run_program({"probe", "-"}, {.standard_input = "a dog\n"});
  EXPECT_EQ(few.status, 1);
  EXPECT_NE(few.err.find("too few tokens in '-': 2, expected at least 5"), std::string::npos) << few.err;
  EXPECT_EQ(run_program({"probe", "-"}, {.standard_input = ""}).status, 1);
  EXPECT_EQ(run_program({"probe"}).status, 2);
  EXPECT_EQ(run_program({"probe", "/nowhere/at/all"}).status, 1);
}

// Compares the memory for some lines with that for ten times as many, which have the same words.
TEST(Probe, NeedsMemoryForWordsNotForLines) {
#if BERT_SANITIZED
  GTEST_SKIP() << "SKIPPED, a sanitizer keeps freed memory";
#endif
  const TemporaryDirectory folder;
  std::string lines;
  for (int i = 0; i < 10; ++i) lines += some_lines();
  const auto peak = [&](const std::string& text) {
    return run_program({"probe", "--threads", "1", write_file(folder, "lines", text)}).peak_bytes;
  };
  const size_t once = peak(lines);
  std::string many;
  for (int i = 0; i < 10; ++i) many += lines;
  EXPECT_LT(peak(many), once + (4u << 20));
}

}  // namespace
}  // namespace bert::test
