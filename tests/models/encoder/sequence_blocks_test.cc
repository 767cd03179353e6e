#include "models/encoder/sequence_blocks.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/random.h"

namespace bert {
namespace {

// A batch of sequences of these lengths. The ids, types, positions, places and words of a row are made from its number.
struct Rows {
  explicit Rows(const std::vector<size_t>& lengths) : row_starts(1) {
    for (const size_t length : lengths) {
      row_starts.push_back(row_starts.back() + length);
      key_counts.push_back(length / 2 + 1);
      global_counts.push_back(row_starts.size());
    }
    for (std::vector<int32_t>* numbers : {&ids, &type_ids, &positions, &places}) {
      numbers->resize(row_starts.back());
      std::iota(numbers->begin(), numbers->end(), 0);
    }
    for (size_t row = 0; row < row_starts.back(); ++row) words.push_back(&vectors[row % 8]);
  }
  RaggedBatch batch() const { return {ids, type_ids, positions, row_starts, places, key_counts, words, global_counts}; }

  std::vector<int32_t> ids, type_ids, positions, places;
  std::vector<size_t> row_starts, key_counts, global_counts;
  std::vector<const float*> words;
  static constexpr float vectors[8] = {};
};

// Checks that the blocks have each sequence once, in order, with all its fields of the batch.
void check(const std::vector<size_t>& lengths, size_t rows) {
  const Rows all(lengths);
  const RaggedBatch batch = all.batch();
  const SequenceBlocks blocks(batch, rows);
  size_t sequence = 0, row = 0;
  for (const RaggedBatch& block : blocks.all()) {
    EXPECT_EQ(block.first_row, row);
    EXPECT_EQ(block.row_starts.front(), 0u);
    EXPECT_EQ(block.row_starts.back(), block.tokens());
    for (size_t s = 0; s < block.sequences(); ++s, ++sequence) {
      ASSERT_LT(sequence, batch.sequences());
      EXPECT_EQ(block.length(s), batch.length(sequence));
      EXPECT_EQ(block.keys(s), batch.keys(sequence));
      EXPECT_EQ(block.global_counts[s], batch.global_counts[sequence]);
    }
    for (size_t token = 0; token < block.tokens(); ++token, ++row) {
      const auto number = static_cast<int32_t>(row);
      EXPECT_EQ(block.ids[token], number);
      EXPECT_EQ(block.type_ids[token], number);
      EXPECT_EQ(block.positions[token], number);
      EXPECT_EQ(block.places[token], number);
      EXPECT_EQ(block.word_vectors[token], batch.word_vectors[row]);
    }
  }
  EXPECT_EQ(sequence, batch.sequences());
  EXPECT_EQ(row, batch.tokens());
}

TEST(SequenceBlocks, HaveEachSequenceOnce) {
  test::Random random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<size_t> lengths;
    for (size_t i = 1 + random.below(20); i > 0; --i) lengths.push_back(1 + random.below(60));
    check(lengths, 1 + random.below(200));
  }
}

TEST(SequenceBlocks, HaveAboutAsManyRows) {
  const auto sizes_of = [](const std::vector<size_t>& lengths, size_t rows) {
    const Rows all(lengths);
    const RaggedBatch batch = all.batch();
    const SequenceBlocks blocks(batch, rows);
    std::vector<size_t> sizes;
    for (const RaggedBatch& block : blocks.all()) sizes.push_back(block.tokens());
    return sizes;
  };
  using Sizes = std::vector<size_t>;
  EXPECT_EQ(sizes_of({300}, 128), Sizes{300});
  EXPECT_EQ(sizes_of(Sizes(8, 128), 256), Sizes(4, 256));
  EXPECT_EQ(sizes_of(Sizes(10, 30), 100), (Sizes{120, 120, 60}));
  EXPECT_EQ(sizes_of({5, 5}, 100), Sizes{10});
  EXPECT_EQ(sizes_of({5, 500, 5}, 100), (Sizes{505, 5}));
}

}  // namespace
}  // namespace bert
