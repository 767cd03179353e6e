// Tests the token-by-token scores of late interaction, on a small ColBERT.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bert/experiments.h"
#include "bert/vectors.h"
#include "tests/models/tiny_model_test.h"

namespace bert {
namespace {

class TokenMatchesTest : public test::TinyModelTest {
 protected:
  Model load_late(const std::string& settings) {
    directory_.write("modules.json", R"([{"type": "sentence_transformers.models.Transformer", "path": ""}])");
    directory_.write("config_sentence_transformers.json", settings);
    return load({.positions = 128});
  }
};

TEST_F(TokenMatchesTest, AreTheLargestProductsAndSumToTheScore) {
  const Model model = load_late(R"({"model_type": "ColBERT", "query_length": 6, "skiplist_words": ["the"]})");
  const MaxSimMatches result = match_tokens(model, "fox", "the fox the dog");
  const TokenVectors query = model.vectors("fox", {.tokens = true, .role = TextRole::kQuery}).tokens;
  const TokenVectors document = model.vectors("the fox the dog", {.tokens = true, .role = TextRole::kDocument}).tokens;
  EXPECT_EQ(result.query.vectors.values, query.values);
  EXPECT_EQ(result.document.vectors.values, document.values);
  EXPECT_EQ(result.document.vectors.tokens, (std::vector<uint32_t>{0, 2, 4, 5}));  // "the" is left out
  ASSERT_EQ(result.products.size(), 6u * 4);
  double sum = 0;
  for (size_t i = 0; i < 6; ++i) {
    const double* row = result.products.data() + i * 4;
    for (size_t j = 0; j < 4; ++j) {
      double product = 0;
      for (size_t c = 0; c < query.size; ++c) {
        product += double{query.values[i * query.size + c]} * double{document.values[j * query.size + c]};
      }
      EXPECT_NEAR(row[j], product, 1e-5);
    }
    EXPECT_EQ(result.matches[i], static_cast<size_t>(std::max_element(row, row + 4) - row));
    sum += row[result.matches[i]];
  }
  EXPECT_EQ(result.score, sum);
  EXPECT_EQ(result.score, MaxSim(1).score(query.values, document.values, query.size));
  EXPECT_FALSE(result.is_mean);
}

TEST_F(TokenMatchesTest, ReportTruncation) {
  const Model model = load_late(R"({"model_type": "ColBERT", "document_length": 5})");
  const MaxSimMatches result = match_tokens(model, "fox", "dog fox dog fox dog fox");
  EXPECT_EQ(result.document.encoding.size(), 5u);
  EXPECT_EQ(result.document.encoding.truncated_tokens, 3u);
}

TEST_F(TokenMatchesTest, NeedALateInteractionModel) {
  const Model model = load();
  EXPECT_NE(test::refusal(ErrorCode::kNotFound, [&] { match_tokens(model, "fox", "dog"); }).find("token vectors"),
            std::string::npos);
}

}  // namespace
}  // namespace bert
