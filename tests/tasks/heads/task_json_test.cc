#include "bert/task_json.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bert {
namespace {

std::string json_of_words(const TaskOutput& output, std::optional<OffsetUnit> unit = {}) {
  const SequenceOutput none;
  const Encoding tokens;
  const std::vector<std::string> words = {"the", "dog"};
  TaskSequence input(none, tokens);
  input.text = "\u00e9 dog";
  input.pair = "\u00e9\u00e9 fox";
  input.words = &words;
  return std::string(member_name(output)) + ": " + to_json(output, input, unit);
}

TEST(TaskJson, ListsLabels) {
  EXPECT_EQ(json_of_words(std::vector<LabelScore>{{"a", 0.5}, {"\"b\"", 0.25}}),
            R"(labels: [{"label":"a","score":0.5},{"label":"\"b\"","score":0.25}])");
}

TEST(TaskJson, HasPlacesInBytesAndCodePointsOrInOneUnit) {
  const std::vector<Entity> found = {{"PET", 0.5, "dog", 3, 6, 2, 5}};
  EXPECT_EQ(json_of_words(found), R"(entities: [{"entity":"PET","score":0.5,"word":"dog","start":3,"end":6,)"
                                  R"("code_point_start":2,"code_point_end":5}])");
  EXPECT_EQ(json_of_words(found, OffsetUnit::kCodePoints),
            R"(entities: [{"entity":"PET","score":0.5,"word":"dog","start":2,"end":5}])");
  EXPECT_EQ(json_of_words(std::vector<Answer>{{"fox", 1, 5, 8, 3, 6}}, OffsetUnit::kUtf16),
            R"(answers: [{"answer":"fox","score":1,"start":3,"end":6}])");
}

TEST(TaskJson, AWordThatWasCutOffHasNoLabel) {
  EXPECT_EQ(json_of_words(std::vector<WordLabel>{{"O", 1}, {"", 0}}),
            R"(words: [{"word":"the","label":"O","score":1},{"word":"dog","label":null,"score":null}])");
}

TEST(TaskJson, NestsTheCandidatesOfMasks) {
  EXPECT_EQ(json_of_words(std::vector<std::vector<MaskCandidate>>{{{"dog", 7, 0.5, "a dog"}}, {}}),
            R"(masks: [[{"token":"dog","id":7,"score":0.5,"sequence":"a dog"}],[]])");
}

TEST(TaskJson, OneNumber) {
  EXPECT_EQ(json_of_words(NextSentence{0.25}), "is_next: 0.25");
  EXPECT_EQ(json_of_words(Relevance{0.5, 3, {}}), "score: 0.5");
}

}  // namespace
}  // namespace bert
