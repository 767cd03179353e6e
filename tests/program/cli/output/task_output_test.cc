#include "program/cli/output/task_output.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bert::test {
namespace {

using Rows = std::vector<std::vector<std::string>>;

TEST(TaskOutput, HasARowForEachLabelEntityOrWord) {
  cli::Sequence text;
  text.input.words = {"the", "dog"};
  EXPECT_EQ(rows_of(std::vector<LabelScore>{{"a, b", 0.5}}, text), (Rows{{"a, b", "0.5"}}));
  EXPECT_EQ(rows_of(std::vector<WordLabel>{{"O", 1}, {"", 0}}, text),
            (Rows{{"O", "1", "the", "", ""}, {"", "", "dog", "", ""}}));
  text.input.text = "\u00e9 dog";
  const std::vector<Entity> found = {{"PET", 0.5, "dog", 3, 6, 2, 5}};
  EXPECT_EQ(rows_of(found, text), (Rows{{"PET", "0.5", "dog", "3", "6"}}));
  text.units = std::make_shared<cli::TextUnits>(text.input.text, "", OffsetUnit::kCodePoints);
  EXPECT_EQ(rows_of(found, text), (Rows{{"PET", "0.5", "dog", "2", "5"}}));
}

TEST(TaskOutput, IsALineWhereItIsShort) {
  const cli::Sequence text;
  const std::vector<LabelScore> labels = {{"a\nb", 0.75}, {"c", 0.25}};
  EXPECT_EQ(lines_of(labels, text), "a\\x0ab 0.750000  c 0.250000\n");
  EXPECT_FALSE(cli::has_titles(labels));
  EXPECT_EQ(lines_of(NextSentence{0.5}, text), "0.500000\n");
  EXPECT_EQ(lines_of(std::vector<Entity>(), text), "no entities\n");
  EXPECT_EQ(lines_of(std::vector<Answer>(), text), "no answer\n");
  EXPECT_TRUE(cli::has_titles(std::vector<Answer>()));
}

}  // namespace
}  // namespace bert::test
