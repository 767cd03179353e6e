// The inside of the embedding layer.
#include "bert/explore.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tests/models/tiny_model_test.h"

namespace bert {
namespace {

using Ids = std::vector<int32_t>;

class ExploreTest : public test::TinyModelTest {};

TEST_F(ExploreTest, ShowsThePartsOfItsEmbeddings) {
  const Model model = load();
  const std::vector<int32_t> ids = {2, 7, 9, 3}, type_ids = {0, 0, 1, 1};
  const std::vector<uint8_t> mask = {1, 0, 1, 1};
  const TokenSequence sequence{ids, type_ids, mask};
  const EmbeddingParts parts = embedding_parts(model, sequence);
  ASSERT_EQ(parts.tokens, 3u);
  ASSERT_EQ(parts.sum.size(), parts.tokens * parts.hidden);
  for (size_t i = 0; i < parts.sum.size(); ++i) {
    ASSERT_EQ(parts.sum[i], parts.word[i] + parts.segment[i] + parts.position[i]) << i;
  }
  const PositionTable table = position_table(model);
  ASSERT_EQ(table.values.size(), model.max_positions() * parts.hidden);
  // The second row is the third token: the masked one keeps its position.
  for (size_t c = 0; c < parts.hidden; ++c) {
    EXPECT_EQ(parts.position[parts.hidden + c], table.values[2 * table.hidden + c]);
  }
  const EncodedSequence encoded = model.encode({&sequence, 1}, {.hidden_states = true}).front();
  EXPECT_TRUE(std::equal(parts.normalized.begin(), parts.normalized.end(), encoded.hidden_states.begin()));
}

TEST_F(ExploreTest, RefusesANaNInTheInsideOfItsEmbeddings) {
  const Ids ids = {2, 7, 3};
  for (const char* table : {"word_embeddings", "position_embeddings", "token_type_embeddings"}) {
    const Model model = load({}, [&](test::TinyTensors& tensors) {
      tensors["embeddings." + std::string(table) + ".weight"].values[0] = std::numeric_limits<float>::infinity();
    });
    const bool word = table[0] == 'w', position = table[0] == 'p';  // no token has the id 0
    const auto parts = [&] { embedding_parts(model, {.ids = ids}); };
    EXPECT_EQ(test::refusal(ErrorCode::kNonFinite, parts),
              word ? ""
                   : std::string("a NaN or an infinity in the embeddings' ") + (position ? "position" : "segment") +
                         " vectors, expected finite numbers");
    EXPECT_EQ(test::refusal(ErrorCode::kNonFinite, [&] { position_table(model); }).empty(), !position) << table;
  }
}

}  // namespace
}  // namespace bert
