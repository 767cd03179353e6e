// Tests requests for several kinds of vectors from one pass. tests/reference/m3_models.py compares the vectors with the
// reference library.
#include "models/model/resolved_request.h"

#include <gtest/gtest.h>

#include "bert/text_pipeline.h"
#include "bert/token_vectors.h"
#include "tests/models/tiny_m3_test.h"
#include "tests/support/compare.h"

namespace bert {
namespace {

class VectorRequestTest : public test::TinyM3Test {};

TEST_F(VectorRequestTest, HasTheBitsOfEachKindAlone) {
  const Model model = load();
  const std::vector<TextVectors> all = vectors_of(model, kAll);
  ASSERT_EQ(all.size(), kTexts.size());
  for (size_t i = 0; i < kTexts.size(); ++i) {
    EXPECT_TRUE(test::same_bits(all[i].dense, model.embed(kTexts[i])));
    const SparseVector sparse = model.vectors(kTexts[i], {.sparse = SparseOptions{}}).sparse;
    EXPECT_EQ(all[i].sparse.ids, sparse.ids);
    EXPECT_TRUE(test::same_bits(all[i].sparse.weights, sparse.weights));
    const TokenVectors tokens = model.vectors(kTexts[i], {.tokens = true, .role = TextRole::kQuery}).tokens;
    EXPECT_EQ(all[i].tokens.tokens, tokens.tokens);
    EXPECT_TRUE(test::same_bits(all[i].tokens.values, tokens.values));
  }
}

TEST_F(VectorRequestTest, LeavesOtherKindsEmpty) {
  const Model model = load();
  const TextVectors sparse = vectors_of(model, {.sparse = SparseOptions{.max_active = 1}})[1];
  EXPECT_TRUE(sparse.dense.empty());
  EXPECT_LE(sparse.sparse.ids.size(), 1u);
  EXPECT_TRUE(sparse.tokens.values.empty());
  const TextVectors dense = vectors_of(model, {.dense = EmbedOptions{.dimensions = 5}})[0];
  EXPECT_EQ(dense.dense.size(), 5u);
  EXPECT_TRUE(dense.sparse.ids.empty());
}

TEST_F(VectorRequestTest, GivesTheFirstTokenNoVector) {
  const Model model = load();
  EXPECT_EQ(model.vectors("the fox", {.tokens = true, .role = TextRole::kDocument}).tokens.tokens,
            (std::vector<uint32_t>{1, 2, 3}));
}

TEST_F(VectorRequestTest, RefusesKindsThatCannotBeMadeTogether) {
  const Model model = load();
  const auto refused = [&](const Model& by, ErrorCode code, const VectorRequest& kinds) {
    return test::refusal(code, [&] { vectors_of(by, kinds); });
  };
  EXPECT_NE(refused(model, ErrorCode::kInvalidArgument, {}).find("no kind"), std::string::npos);
  EXPECT_NE(refused(model, ErrorCode::kInvalidArgument,
                    {.dense = EmbedOptions{.prompt_text = "a: "}, .sparse = SparseOptions{.prompt_text = "b: "}})
                .find("expected the same"),
            std::string::npos);
  const test::TemporaryDirectory plain;
  test::write_tiny_model(plain);
  const Model dense = Model::load(plain.path().string());
  EXPECT_NE(refused(dense, ErrorCode::kNotFound, kAll).find("sparse_linear/"), std::string::npos);
  EXPECT_NE(refused(dense, ErrorCode::kNotFound, {.tokens = true}).find("colbert_linear/"), std::string::npos);
  plain.write("modules.json", R"([{"type": "sentence_transformers.models.Transformer", "path": ""}])");
  plain.write("config_sentence_transformers.json", R"({"model_type": "ColBERT", "query_prefix": "the"})");
  const Model colbert = Model::load(plain.path().string());
  EXPECT_NE(refused(colbert, ErrorCode::kUnsupported, {.tokens = true}).find("queries and documents differently"),
            std::string::npos);
}

TEST_F(VectorRequestTest, IsATaskOfThePipelineWithAPromptBeforeEachText) {
  const Model model = load();
  Texts texts(kTexts);
  const VectorRequest kinds{.dense = EmbedOptions{.prompt_text = "dog "},
                            .sparse = SparseOptions{.prompt_text = "dog "}};
  TextPipeline pipeline(model, kinds, texts);
  TextResult result;
  ASSERT_TRUE(pipeline.next(result));
  EXPECT_TRUE(test::same_bits(result.vectors().dense, model.embed("dog the fox")));
  EXPECT_EQ(result.vectors().sparse.ids, model.vectors("dog the fox", {.sparse = SparseOptions{}}).sparse.ids);
}

// A single chunk has the text's bits. Of several chunks each has the bits of the mean of its tokens' rows.
TEST(ChunkVectors, HaveTheBitsOfTheTextAndOfMeans) {
  const Model model = Model::builtin();
  const std::string text = "The fox jumps over the lazy dog. It sleeps all day! Then the cat comes.";
  const EmbedOptions plain{.pooling = PoolingMode::kMean, .normalize = false};
  const TextVectors one = model.vectors(text, {.dense = plain, .chunks = ChunkOptions{.tokens = 1000}});
  EXPECT_EQ(one.chunks.size(), 1u);
  EXPECT_TRUE(test::same_bits(one.dense, model.embed(text, plain)));

  const std::vector<std::string_view> texts = {text, "Another text. Of two sentences."};
  const VectorRequest by_sentence{.dense = plain, .chunks = ChunkOptions{.sentences = true}};
  const std::vector<TextVectors> several = model.vectors(texts, by_sentence).vectors;
  ASSERT_EQ(several[0].chunks.size(), 3u);
  ASSERT_EQ(several[1].chunks.size(), 2u);
  for (size_t i = 0; i < texts.size(); ++i) {
    const EncodedText encoded = model.encode(texts)[i];
    for (size_t chunk = 0; chunk < several[i].chunks.size(); ++chunk) {
      const TextChunk& where = several[i].chunks[chunk];
      std::vector<double> sums(encoded.hidden);
      for (size_t token = 0; token < where.tokens; ++token) {
        for (size_t c = 0; c < encoded.hidden; ++c) {
          sums[c] += double{encoded.last_hidden_state[(where.first_token + token) * encoded.hidden + c]};
        }
      }
      std::vector<float> mean;
      for (const double sum : sums) mean.push_back(static_cast<float>(sum / static_cast<double>(where.tokens)));
      const std::span<const float> vector(several[i].dense.data() + chunk * encoded.hidden, encoded.hidden);
      EXPECT_TRUE(test::same_bits(vector, mean)) << i << ", " << chunk;
    }
    EXPECT_TRUE(test::same_bits(model.vectors(texts[i], by_sentence).dense, several[i].dense));
  }
  EXPECT_TRUE(model.vectors("", by_sentence).chunks.empty());
}

TEST(ChunkVectors, AreRefusedWhereTheyWouldMeanAnother) {
  const Model model = Model::builtin();
  const auto refused = [&](const VectorRequest& request) {
    return test::refusal(ErrorCode::kUnsupported, [&] { model.vectors("a text", request); });
  };
  const ChunkOptions sentences{.sentences = true};
  EXPECT_NE(refused({.dense = EmbedOptions{.pooling = PoolingMode::kCls}, .chunks = sentences}).find("pooling cls"),
            std::string::npos);
  EXPECT_NE(refused({.dense = EmbedOptions{}, .sparse = SparseOptions{}, .chunks = sentences}).find("no other kind"),
            std::string::npos);
  const std::vector<int32_t> ids = {2, 3};
  const TokenSequence one{ids, {}, {}};
  EXPECT_NE(test::refusal(ErrorCode::kInvalidArgument,
                          [&] {
                            model.vectors({&one, 1}, {.dense = EmbedOptions{}, .chunks = sentences});
                          })
                .find("chunks of ids"),
            std::string::npos);
}

}  // namespace
}  // namespace bert
