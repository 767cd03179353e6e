// Compares the summaries of the heads of a small model with formulas over its attentions.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "bert/experiments.h"
#include "tests/models/tiny_model_test.h"
#include "tests/support/compare.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

class AttentionSummaryTest : public test::TinyModelTest {};

Encoding encoding_of(std::vector<int32_t> ids, std::vector<uint8_t> mask, std::vector<uint8_t> special) {
  Encoding encoding;
  encoding.ids = std::move(ids);
  encoding.attention_mask = std::move(mask);
  encoding.special_tokens_mask = std::move(special);
  return encoding;
}

TEST_F(AttentionSummaryTest, IsOfEveryHeadAndOfTheTokensThatAreNotMasked) {
  const Model model = load();
  const Encoding encoding = encoding_of({2, 7, 9, 11, 3}, {1, 1, 0, 1, 1}, {1, 0, 0, 0, 1});
  const AttentionSummary result = summarize_attention(model, encoding);
  EXPECT_EQ(result.heads, 3u);
  EXPECT_EQ(result.tokens, 4u);
  ASSERT_EQ(result.summaries.size(), 2u * 3);
  const TokenSequence sequence = model.sequence(encoding);
  EXPECT_TRUE(test::same_bits(result.weights, model.encode({&sequence, 1}, {.attentions = true}).front().attentions));
  EXPECT_EQ(result.max_entropy_bits, 2);
  EXPECT_FALSE(result.window);
  EXPECT_FALSE(result.max_local_entropy_bits);
  for (size_t head = 0; head < result.summaries.size(); ++head) {
    const float* weights = result.weights.data() + head * 16;
    double self = 0, special = 0, entropy = 0;
    for (size_t query = 0; query < 4; ++query) {
      self += double{weights[query * 5]} / 4;
      special += (double{weights[query * 4]} + double{weights[query * 4 + 3]}) / 4;  // the first and the last token
      for (size_t key = 0; key < 4; ++key) {
        const double weight = weights[query * 4 + key];
        entropy -= weight * std::log2(weight) / 4;
      }
    }
    EXPECT_NEAR(result.summaries[head].self, self, 1e-12) << head;
    EXPECT_NEAR(result.summaries[head].special, special, 1e-12) << head;
    EXPECT_NEAR(result.summaries[head].entropy_bits, entropy, 1e-12) << head;
  }
}

TEST_F(AttentionSummaryTest, NeedsNoSpecialTokens) {
  const Model model = load();
  Encoding encoding = encoding_of({2, 7, 3}, {}, {});
  EXPECT_EQ(summarize_attention(model, encoding).summaries.front().special, 0);
  encoding.special_tokens_mask = {1, 0};
  EXPECT_EQ(test::refusal(ErrorCode::kInvalidArgument, [&] { summarize_attention(model, encoding); }),
            "2 numbers in special_tokens_mask, expected 3, one for each id");
}

TEST_F(AttentionSummaryTest, OfSomeQueriesHasTheirRowsAgainstAllKeys) {
  const Model model = load();
  const Encoding encoding = encoding_of({2, 7, 9, 11, 3}, {1, 1, 0, 1, 1}, {1, 0, 0, 0, 1});
  const AttentionSummary all = summarize_attention(model, encoding);
  EXPECT_EQ(all.queries, (std::vector<size_t>{0, 1, 2, 3}));
  const std::vector<size_t> queries = {1, 3};
  const AttentionSummary some = summarize_attention(model, encoding, queries);
  EXPECT_EQ(some.queries, queries);
  EXPECT_EQ(some.tokens, 4u);
  ASSERT_EQ(some.weights.size(), all.weights.size() / 2);
  EXPECT_EQ(some.max_entropy_bits, all.max_entropy_bits);
  for (size_t head = 0; head < some.summaries.size(); ++head) {
    double self = 0;
    for (size_t row = 0; row < 2; ++row) {
      const std::span<const float> expected = std::span(all.weights).subspan(head * 16 + queries[row] * 4, 4);
      EXPECT_TRUE(test::same_bits(std::span(some.weights).subspan(head * 8 + row * 4, 4), expected)) << head;
      self += double{expected[queries[row]]} / 2;
    }
    EXPECT_NEAR(some.summaries[head].self, self, 1e-12) << head;
  }
  const auto refusal = [&](const std::vector<size_t>& wrong) {
    return test::refusal(ErrorCode::kInvalidArgument, [&] { summarize_attention(model, encoding, wrong); });
  };
  EXPECT_EQ(refusal({4}), "query 4, expected 0 to 3: the text has 4 tokens");
  EXPECT_EQ(refusal({2, 1}), "query 1 after 2, expected ascending order, each once");
  EXPECT_EQ(refusal({1, 1}), "query 1 after 1, expected ascending order, each once");
}

// A local layer sees 5 places to each side, so the tokens at the places 0 to 7 see 6, 7, 8, 8, 8, 8, 7 and 6 tokens.
TEST_F(AttentionSummaryTest, OfWindowsHasTheirEntropy) {
  BERT_TEST_DATA_OR_SKIP(data, "family_modern/modernbert");
  const Model model = Model::load(data.string());
  const AttentionSummary result = summarize_attention(model, encoding_of({5, 6, 7, 8, 9, 10, 11, 12}, {}, {}));
  EXPECT_EQ(result.window, 5u);
  EXPECT_NEAR(*result.max_local_entropy_bits, (2 * std::log2(6) + 2 * std::log2(7) + 4 * 3) / 8, 1e-12);
  EXPECT_NEAR(*summarize_attention(model, encoding_of({5, 6, 7, 8, 9, 10, 11, 12}, {}, {}), std::vector<size_t>{0, 3})
                   .max_local_entropy_bits,
              (std::log2(6) + 3) / 2, 1e-12);
  // 6 tokens all see each other. With 7 places, one of which is masked, the first token does not see the last.
  EXPECT_FALSE(summarize_attention(model, encoding_of({5, 6, 7, 8, 9, 10}, {}, {})).window);
  const AttentionSummary masked =
      summarize_attention(model, encoding_of({5, 6, 7, 8, 9, 10, 11}, {1, 1, 1, 0, 1, 1, 1}, {}));
  EXPECT_EQ(masked.window, 5u);
  EXPECT_NEAR(*masked.max_local_entropy_bits, (2 * std::log2(5) + 4 * std::log2(6)) / 6, 1e-12);
}

}  // namespace
}  // namespace bert
