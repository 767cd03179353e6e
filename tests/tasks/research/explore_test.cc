// Tests the calls that show the parts of the embedding layer.
#include "bert/explore.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tests/models/tiny_model_test.h"
#include "tests/support/compare.h"

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
  // The second row has the position of the third token, because a token keeps its position if the one before it is
  // masked.
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
    const bool word = table[0] == 'w', position = table[0] == 'p';  // no token of the text has the id 0
    const auto parts = [&] { embedding_parts(model, {.ids = ids}); };
    EXPECT_EQ(test::refusal(ErrorCode::kNonFinite, parts),
              word ? ""
                   : std::string("a NaN or an infinity in the embeddings' ") + (position ? "position" : "segment") +
                         " vectors, expected finite numbers");
    EXPECT_EQ(test::refusal(ErrorCode::kNonFinite, [&] { position_table(model); }).empty(), !position) << table;
  }
}

TEST_F(ExploreTest, RunsEachLayerOnTheGivenStates) {
  const Ids ids = {2, 7, 9, 3};
  const TokenSequence sequence{.ids = ids};
  const Model model = load();
  const EncodedSequence own = model.encode({&sequence, 1}, {.hidden_states = true}).front();
  const size_t size = own.tokens * own.hidden;
  const std::span<const float> layers = std::span(own.hidden_states).subspan(size);
  EXPECT_TRUE(test::same_bits(layer_outputs(model, sequence, own.hidden_states), layers));

  // Other weights in the first layer change the first output, and not the second.
  const Model other =
      load({}, [](test::TinyTensors& tensors) { tensors["encoder.layer.0.output.dense.weight"].values[0] += 1; });
  const std::vector<float> outputs = layer_outputs(other, sequence, own.hidden_states);
  EXPECT_FALSE(test::same_bits(std::span(outputs).first(size), layers.first(size)));
  EXPECT_TRUE(test::same_bits(std::span(outputs).last(size), layers.last(size)));

  EXPECT_EQ(test::refusal(ErrorCode::kInvalidArgument, [&] { layer_outputs(model, sequence, own.pooler_output); }),
            "24 numbers in the hidden states, expected 288 for 4 tokens");
}

}  // namespace
}  // namespace bert
