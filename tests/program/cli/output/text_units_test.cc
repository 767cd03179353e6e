#include "program/cli/output/text_units.h"

#include <gtest/gtest.h>

namespace bert::test {
namespace {

using cli::TextUnits;

Encoding tokens_at(const std::vector<Offset>& offsets, const std::vector<int32_t>& sequences,
                   const std::vector<int32_t>& words) {
  Encoding encoding;
  encoding.ids.resize(offsets.size());
  encoding.offsets = offsets;
  encoding.sequence_ids = sequences;
  encoding.word_ids = words;
  return encoding;
}

TEST(TextUnits, CountInTheTextAndInThePair) {
  const TextUnits units("\u00e9 a", "\U0001F600 a", OffsetUnit::kUtf16);
  const Encoding encoding = tokens_at({{0, 0}, {3, 4}, {5, 6}}, {kNoSequence, 0, 1}, {kNoWord, 1, 1});
  EXPECT_EQ(units.offsets(encoding), (std::vector<Offset>{{0, 0}, {2, 3}, {3, 4}}));
  EXPECT_EQ(units.of_text().before(4), 3u);
  EXPECT_EQ(units.of_pair().before(6), 4u);
}

TEST(TextUnits, CountInTheWordsThatTheCallerDivided) {
  const TextUnits units({"\u00e9a", "\U0001F600a"}, OffsetUnit::kUtf16);
  const Encoding encoding = tokens_at({{0, 0}, {2, 3}, {4, 5}}, {kNoSequence, 0, 0}, {kNoWord, 0, 1});
  EXPECT_EQ(units.offsets(encoding), (std::vector<Offset>{{0, 0}, {1, 2}, {2, 3}}));
}

TEST(TextUnits, OfAPlaceAreWrittenAloneOrInBytesAndInCodePoints) {
  const OffsetUnits utf16("\U0001F600 a", OffsetUnit::kUtf16);
  JsonWriter both, alone;
  cli::add_place(both, {5, 6}, {2, 3}, nullptr);
  cli::add_place(alone, {5, 6}, {2, 3}, &utf16);
  EXPECT_EQ(both.take(), R"({"start":5,"end":6,"code_point_start":2,"code_point_end":3})");
  EXPECT_EQ(alone.take(), R"({"start":3,"end":4})");
}

}  // namespace
}  // namespace bert::test
