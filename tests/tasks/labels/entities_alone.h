// Checks that a model which reads labels gives a text the same entities alone and among others.
#pragma once

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "bert/labels.h"
#include "bert/text_pipeline.h"

namespace bert::test {

inline void expect_entities_as_alone(const Model& model, const std::vector<std::string_view>& lines) {
  const LabelRequest request{.labels = {"dog", "quick brown fox", "lazy"}, .threshold = 0.2, .nested = true};
  Texts texts(lines);
  TextPipeline pipeline(model, request, texts);
  size_t all = 0, index = 0;
  for (TextResult result; pipeline.next(result); ++index) {
    ASSERT_FALSE(result.error) << result.error->what();
    const auto& found = std::get<std::vector<Entity>>(result.output);
    const std::vector<Entity> alone = find_entities(model, lines[index], request);
    ASSERT_EQ(found.size(), alone.size());
    all += alone.size();
    for (size_t i = 0; i < alone.size(); ++i) {
      EXPECT_EQ(found[i].score, alone[i].score);
      EXPECT_EQ(found[i].start, alone[i].start);
      EXPECT_EQ(found[i].entity, alone[i].entity);
    }
  }
  EXPECT_EQ(index, lines.size());
  EXPECT_GT(all, 2u);
}

}  // namespace bert::test
