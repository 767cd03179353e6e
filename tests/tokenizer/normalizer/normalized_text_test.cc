#include "tokenizer/normalizer/normalized_text.h"

#include <gtest/gtest.h>

#include "tokenizer/normalizer/normalizer.h"

namespace bert {
namespace {

std::vector<Offset> offsets(const NormalizedText& text) { return {text.sources.begin(), text.sources.end()}; }

NormalizedText abc() { return original_text("abc", 0); }

TEST(NormalizedText, GivesACharacterOneSourceForEachByte) {
  NormalizedText text;
  text.append(U'\u00E9', {3, 4});
  EXPECT_EQ(text.bytes, "\u00E9");
  EXPECT_EQ(offsets(text), (std::vector<Offset>{{3, 4}, {3, 4}}));
}

TEST(NormalizedText, SaysWhereARangeCameFrom) {
  EXPECT_EQ(abc().source({0, 2}), (Offset{0, 2}));
  EXPECT_EQ(abc().source({1, 1}), (Offset{1, 1}));
  EXPECT_EQ(abc().source({3, 3}), (Offset{3, 3}));
  EXPECT_EQ(NormalizedText().source({0, 0}), (Offset{0, 0}));
}

TEST(Transform, ReplacesPutsInAndSwallowsCharacters) {
  NormalizedText text = abc();
  const std::vector<CharChange> changes = {{U'x', -1}, {U'y', 1}, {U'z', 0}};
  transform(text, changes);
  EXPECT_EQ(text.bytes, "xyz");
  EXPECT_EQ(offsets(text), (std::vector<Offset>{{0, 1}, {1, 2}, {2, 3}}));
}

TEST(Transform, PutsInBeforeTheFirstCharacterFromNowhere) {
  NormalizedText text = abc();
  const std::vector<CharChange> changes = {{U'x', 1}, {U'a', 0}};
  transform(text, changes);
  EXPECT_EQ(offsets(text), (std::vector<Offset>{{0, 0}, {0, 1}}));
}

}  // namespace
}  // namespace bert
