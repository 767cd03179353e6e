// Compares nearest words with those computed from embedding_parts of every id.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "bert/experiments.h"
#include "tests/models/tiny_model_test.h"
#include "tests/support/expect_error.h"

namespace bert {
namespace {

class WordNeighborsTest : public test::TinyModelTest {};

TEST_F(WordNeighborsTest, HaveTheCosinesOfTheWordVectors) {
  const Model model = load();
  const size_t words = model.config().vocab_size;
  std::vector<std::vector<float>> rows;
  for (size_t id = 0; id < words; ++id) {
    const std::vector<int32_t> ids = {static_cast<int32_t>(id)};
    rows.push_back(embedding_parts(model, {.ids = ids}).word);
  }
  const auto cosine = [&](size_t a, size_t b) {
    double product = 0, one = 0, other = 0;
    for (size_t c = 0; c < rows[a].size(); ++c) {
      product += double{rows[a][c]} * rows[b][c];
      one += double{rows[a][c]} * rows[a][c];
      other += double{rows[b][c]} * rows[b][c];
    }
    return one * other > 0 ? product / std::sqrt(one * other) : 0;
  };
  const std::vector<double> cosines = word_cosines(model, 7);
  ASSERT_EQ(cosines.size(), words);
  for (size_t id = 0; id < words; ++id) EXPECT_NEAR(cosines[id], cosine(7, id), 1e-12) << id;

  const std::vector<WordNeighbor> nearest = nearest_words(model, 7, words);
  ASSERT_EQ(nearest.size(), words - 1);
  for (size_t i = 0; i < nearest.size(); ++i) {
    EXPECT_NE(nearest[i].id, 7);
    EXPECT_EQ(nearest[i].cosine, cosines[static_cast<size_t>(nearest[i].id)]);
    if (i > 0) {
      EXPECT_GE(nearest[i - 1].cosine, nearest[i].cosine);
    }
  }
  const std::vector<WordNeighbor> three = nearest_words(model, 7, 3);
  ASSERT_EQ(three.size(), 3u);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(three[i].id, nearest[i].id);
}

// Each row is scaled to length 1 before it is added.
TEST_F(WordNeighborsTest, MayBeThoseOfASum) {
  const Model model = load();
  const std::vector<double> five = word_cosines(model, 5), same = word_cosines(model, std::vector<WordTerm>{{5, 0.5}});
  for (size_t i = 0; i < five.size(); ++i) EXPECT_NEAR(five[i], same[i], 1e-6);
  const std::vector<WordTerm> terms = {{5, 1}, {6, -1}, {7, 1}};
  const std::vector<double> sum = word_cosines(model, terms);
  // cos(a - b + c, x) |a - b + c| = cos(a, x) - cos(b, x) + cos(c, x), and the squared length from the cosines.
  const std::vector<double> six = word_cosines(model, 6), seven = word_cosines(model, 7);
  const double length = std::sqrt(3 - 2 * five[6] + 2 * five[7] - 2 * six[7]);
  for (size_t i = 0; i < sum.size(); ++i) EXPECT_NEAR(sum[i] * length, five[i] - six[i] + seven[i], 1e-6) << i;
  const std::vector<int32_t> left_out = {5, 6, 7};
  for (const WordNeighbor& one : nearest_words(sum, left_out, sum.size())) {
    EXPECT_TRUE(one.id < 5 || one.id > 7) << one.id;
  }
  EXPECT_EQ(nearest_words(sum, left_out, sum.size()).size(), sum.size() - 3);
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { word_cosines(model, std::vector<WordTerm>{}); }),
            "no words to add, expected at least one");
}

TEST_F(WordNeighborsTest, RefuseAnIdWithoutARow) {
  const Model model = load();
  const auto words = static_cast<int32_t>(model.config().vocab_size);
  EXPECT_EQ(
      test::error_of(ErrorCode::kInvalidArgument, [&] { word_cosines(model, words); }),
      "id " + std::to_string(words) + ", expected one of the " + std::to_string(words) + " rows of the word table");
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { nearest_words(model, -1, 1); }),
            "id -1, expected one of the " + std::to_string(words) + " rows of the word table");
}

}  // namespace
}  // namespace bert
