// Several kinds of vectors of one pass, and their score. tests/support/m3_models.py compares them with the reference
// library.
#include "bert/vector_kinds.h"

#include <gtest/gtest.h>

#include "bert/text_pipeline.h"
#include "bert/vectors.h"
#include "tests/models/tiny_model_test.h"
#include "tests/support/compare.h"

namespace bert {
namespace {

const VectorKinds kAll{.dense = EmbedOptions{}, .sparse = SparseOptions{}, .tokens = true};
const std::vector<std::string_view> kTexts = {"the fox", "fox dog fox the quick", "dog"};

class VectorKindsTest : public ::testing::Test {
 protected:
  Model load() const {
    test::write_tiny_m3(directory_);
    return Model::load(directory_.path().string(), {.threads = 2});
  }
  const test::TemporaryDirectory directory_;
};

TEST_F(VectorKindsTest, HasTheBitsOfEachKindAlone) {
  const Model model = load();
  const std::vector<TextVectors> all = embed(model, kTexts, kAll);
  ASSERT_EQ(all.size(), kTexts.size());
  for (size_t i = 0; i < kTexts.size(); ++i) {
    EXPECT_TRUE(test::same_bits(all[i].dense, model.embed(kTexts[i])));
    const SparseVector sparse = model.embed_sparse(kTexts[i]);
    EXPECT_EQ(all[i].sparse.ids, sparse.ids);
    EXPECT_TRUE(test::same_bits(all[i].sparse.weights, sparse.weights));
    const TokenVectors tokens = embed_tokens(model, kTexts[i], TextRole::kQuery);
    EXPECT_EQ(all[i].tokens.tokens, tokens.tokens);
    EXPECT_TRUE(test::same_bits(all[i].tokens.values, tokens.values));
  }
}

TEST_F(VectorKindsTest, LeavesOtherKindsEmpty) {
  const Model model = load();
  const TextVectors sparse = embed(model, kTexts, {.sparse = SparseOptions{.max_active = 1}})[1];
  EXPECT_TRUE(sparse.dense.empty());
  EXPECT_LE(sparse.sparse.ids.size(), 1u);
  EXPECT_TRUE(sparse.tokens.values.empty());
  const TextVectors dense = embed(model, kTexts, {.dense = EmbedOptions{.dimensions = 5}})[0];
  EXPECT_EQ(dense.dense.size(), 5u);
  EXPECT_TRUE(dense.sparse.ids.empty());
}

TEST_F(VectorKindsTest, GivesTheFirstTokenNoVectorAndDividesTheScoreByTheQuerys) {
  const Model model = load();
  EXPECT_TRUE(token_vector_settings(model).mean_score);
  EXPECT_EQ(embed_tokens(model, "the fox", TextRole::kDocument).tokens, (std::vector<uint32_t>{1, 2, 3}));
  const TextVectors vectors = embed(model, kTexts, kAll)[0];
  EXPECT_NEAR(hybrid_score(model, vectors, vectors, {.dense = 0, .sparse = 0}), 1, 1e-6) << "each vector's own length";
}

TEST_F(VectorKindsTest, ScoresByTheWeightsOfTheKinds) {
  const Model model = load();
  const std::vector<TextVectors> all = embed(model, kTexts, kAll);
  const TextVectors &a = all[0], &b = all[1];
  const double dense = similarity(SimilarityFunction::kCosine, a.dense, b.dense);
  const double sparse = similarity(SimilarityFunction::kDot, a.sparse, b.sparse);
  const double tokens = MaxSim(1).score(a.tokens.values, b.tokens.values, 24) / 3;
  EXPECT_NEAR(hybrid_score(model, a, b), (dense + sparse + tokens) / 3, 1e-12);
  EXPECT_NEAR(hybrid_score(model, a, b, {0.4, 0.2, 0.8}), (0.4 * dense + 0.2 * sparse + 0.8 * tokens) / 1.4, 1e-12);
  EXPECT_NEAR(hybrid_score(model, {.dense = a.dense}, b, {2, 0, 0}), dense, 1e-12) << "other kinds are not needed";
}

TEST_F(VectorKindsTest, RefusesScoresWithoutVectorsOrWeights) {
  const Model model = load();
  const TextVectors one = embed(model, kTexts, {.dense = EmbedOptions{}})[0];
  const auto score = [&](const KindWeights& weights) {
    return test::refusal(ErrorCode::kInvalidArgument, [&] { hybrid_score(model, one, one, weights); });
  };
  EXPECT_NE(score({1, 0, 1}).find("a weight for token vectors"), std::string::npos);
  EXPECT_NE(score({0, 0, 0}).find("no kind has a weight"), std::string::npos);
  EXPECT_NE(score({1, -1, 0}).find("for sparse vectors, expected 0 or more"), std::string::npos);
}

TEST_F(VectorKindsTest, RefusesKindsThatCannotBeMadeTogether) {
  const Model model = load();
  const auto refused = [&](const Model& by, ErrorCode code, const VectorKinds& kinds) {
    return test::refusal(code, [&] { embed(by, kTexts, kinds); });
  };
  EXPECT_NE(refused(model, ErrorCode::kInvalidArgument, {}).find("no kind"), std::string::npos);
  EXPECT_NE(refused(model, ErrorCode::kInvalidArgument,
                    {.dense = EmbedOptions{.prompt_text = "a: "}, .sparse = SparseOptions{}})
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

TEST_F(VectorKindsTest, IsATaskOfThePipelineWithAPromptBeforeEachText) {
  const Model model = load();
  Texts texts(kTexts);
  const VectorKinds kinds{.dense = EmbedOptions{.prompt_text = "dog "}, .sparse = SparseOptions{.prompt_text = "dog "}};
  TextPipeline pipeline(model, kinds, texts);
  TextResult result;
  ASSERT_TRUE(pipeline.next(result));
  EXPECT_TRUE(test::same_bits(result.embedding, model.embed("dog the fox")));
  EXPECT_EQ(result.sparse.ids, model.embed_sparse("dog the fox").ids);
}

}  // namespace
}  // namespace bert
