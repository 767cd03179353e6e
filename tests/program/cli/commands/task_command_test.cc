// Tests the command next-sentence.
#include <gtest/gtest.h>

#include "bert/model.h"
#include "bert/tasks.h"
#include "tests/program/cli/program.h"

namespace bert::test {
namespace {

TEST(NextSentence, GivesAProbabilityForTwoTextsOrEachLinesPair) {
  const ProgramResult result = run_program({"next-sentence", "--format", "json", "a dog barked", "it was loud"});
  EXPECT_EQ(result.status, 0);
  const double is_next = result.json()["is_next"];
  // The expected probability is computed here: it is the first value of the softmax of the head's two logits.
  const Model model = Model::builtin();
  const Encoding pair = model.tokenizer().tokenize("a dog barked", "it was loud");
  const TokenSequence sequence = model.sequence(pair);
  EXPECT_EQ(is_next, softmax(model.logits(Head::kNextSentence, {&sequence, 1}).front().values)[0]);
  const ProgramResult lines = run_program({"next-sentence", "--input", "-", "--jsonl", "--format", "jsonl"},
                                          {.standard_input = "{\"text\": \"a dog barked\", \"pair\": \"it was loud\"}\n"
                                                             "{\"text\": \"alone\"}\n"});
  EXPECT_EQ(lines.status, 1);
  EXPECT_EQ(lines.json_lines().at(0)["is_next"], is_next);
  EXPECT_TRUE(lines.json_lines().at(1).contains("error"));
}

TEST(NextSentence, TakesTwoTexts) {
  EXPECT_EQ(run_program({"next-sentence", "a"}).status, 2);
  EXPECT_EQ(run_program({"next-sentence", "--input", "-"}, {.standard_input = "a\n"}).status, 2);
}

}  // namespace
}  // namespace bert::test
