// Tests Model::embed_sparse. tests/reference/sparse_models.py compares it with the reference library.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bert/text_pipeline.h"
#include "tests/models/tiny_model_test.h"
#include "tests/support/compare.h"
#include "tests/support/safetensors_writer.h"

namespace bert {
namespace {

using Ids = std::vector<int32_t>;

constexpr const char* kMax = R"({"pooling_strategy": "max", "activation_function": "relu"})";

class SparseTest : public ::testing::Test {
 protected:
  Model load(const LoadOptions& options = {.threads = 2}) const {
    return Model::load(directory_.path().string(), options);
  }
  Model load_splade(const std::string& pooling = kMax) const {
    test::write_tiny_splade(directory_, pooling);
    return load();
  }
  void write_token_weights(const std::vector<float>& weights) const {
    directory_.write("vocab.txt", test::tiny_vocabulary(weights.size()));
    directory_.write("model.safetensors",
                     test::image_of({{"weight", "F32", {weights.size()}, test::bytes_of(weights)}}));
    directory_.write("modules.json",
                     R"([{"path": "", "type": "sentence_transformers.sparse_encoder.models.SparseStaticEmbedding"}])");
  }
  // Returns the sparse vector, computed in float64 from the masked LM's logits.
  static std::vector<double> exact(const Model& model, const std::string& text, bool sum, int logarithms) {
    const Encoding encoding = model.tokenizer().tokenize(text, {.max_length = model.max_length()});
    const TokenSequence one = model.sequence(encoding);
    const Logits logits = model.logits(Head::kMaskedLm, {&one, 1})[0];
    std::vector<double> weights(logits.outputs, 0.0);
    for (size_t i = 0; i < logits.values.size(); ++i) {
      double value = std::max(static_cast<double>(logits.values[i]), 0.0);
      for (int k = 0; k < logarithms; ++k) value = std::log1p(value);
      double& weight = weights[i % logits.outputs];
      weight = sum ? weight + value : std::max(weight, value);
    }
    return weights;
  }
  static std::vector<float> dense(const SparseVector& vector, size_t size) {
    std::vector<float> all(size, 0.0f);
    for (size_t i = 0; i < vector.ids.size(); ++i) all.at(static_cast<size_t>(vector.ids[i])) = vector.weights[i];
    return all;
  }

  const test::TemporaryDirectory directory_;
};

TEST_F(SparseTest, IsThePoolingThatTheFilesName) {
  for (const bool sum : {false, true}) {
    for (const int logarithms : {1, 2}) {
      const Model model = load_splade(std::string(R"({"pooling_strategy": ")") + (sum ? "sum" : "max") +
                                      R"(", "activation_function": ")" + (logarithms == 2 ? "log1p_relu" : "relu") +
                                      R"(", "word_embedding_dimension": 40})");
      EXPECT_TRUE(model.sparse().declared);
      EXPECT_EQ(model.sparse().size, 40u);
      EXPECT_TRUE(test::within(1e-6, dense(model.vectors("the quick fox", {.sparse = SparseOptions{}}).sparse, 40),
                               exact(model, "the quick fox", sum, logarithms)));
    }
  }
}

TEST_F(SparseTest, IsTheMaximumForAPlainMaskedLm) {
  const Model model = load_splade("");
  EXPECT_FALSE(model.sparse().declared);
  EXPECT_TRUE(test::within(1e-6, dense(model.vectors("a dog", {.sparse = SparseOptions{}}).sparse, 40),
                           exact(model, "a dog", false, 1)));
}

TEST_F(SparseTest, HasTheSameBitsInAnyBatchOnAnyThreads) {
  for (const char* pooling : {kMax, R"({"pooling_strategy": "sum"})"}) {
    const Model model = load_splade(pooling);
    const Model alone = load({.threads = 1, .gemm = GemmProvider::kPortable});
    const std::vector<std::string_view> texts = {"the quick fox", "a", "", "the lazy dog jumps over the brown fox"};
    const VectorTexts all = model.vectors(texts, {.sparse = SparseOptions{}});
    ASSERT_EQ(all.vectors.size(), 4u);
    for (size_t i = 0; i < texts.size(); ++i) {
      const SparseVector one = alone.vectors(texts[i], {.sparse = SparseOptions{}}).sparse;
      EXPECT_EQ(all.vectors[i].sparse.ids, one.ids);
      EXPECT_TRUE(test::same_bits(all.vectors[i].sparse.weights, one.weights)) << texts[i];
      EXPECT_FALSE(all.reports[i].error);
    }
  }
}

TEST_F(SparseTest, KeepsTheLargestWeights) {
  const Model model = load_splade();
  const SparseVector all = model.vectors("the quick fox", {.sparse = SparseOptions{}}).sparse;
  const SparseVector three = model.vectors("the quick fox", {.sparse = SparseOptions{.max_active = 3}}).sparse;
  ASSERT_GT(all.ids.size(), 3u);
  ASSERT_EQ(three.ids.size(), 3u);
  EXPECT_TRUE(std::is_sorted(three.ids.begin(), three.ids.end()));
  std::vector<float> kept = three.weights, every = all.weights;
  std::sort(kept.rbegin(), kept.rend());
  std::sort(every.rbegin(), every.rend());
  EXPECT_EQ(kept, std::vector<float>(every.begin(), every.begin() + 3));
  EXPECT_EQ(model.vectors("the quick fox", {.sparse = SparseOptions{.max_active = 1000}}).sparse.ids, all.ids);

  test::write_tiny_splade(directory_, kMax, R"({"model_type": "SparseEncoder", "max_active_dims": 2})");
  EXPECT_EQ(load().vectors("the quick fox", {.sparse = SparseOptions{}}).sparse.ids.size(), 2u);
  EXPECT_EQ(load().vectors("the quick fox", {.sparse = SparseOptions{.max_active = 3}}).sparse.ids, three.ids);
  const std::string none = test::refusal(ErrorCode::kInvalidArgument, [&] { model.sparse({.max_active = 0}); });
  EXPECT_NE(none.find("expected at least 1"), std::string::npos);
}

TEST_F(SparseTest, PutsThePromptBeforeTheText) {
  test::write_tiny_splade(directory_, kMax, R"({"model_type": "SparseEncoder", "prompts": {"query": "the quick "}})");
  const Model model = load();
  EXPECT_EQ(model.vectors("fox", {.sparse = SparseOptions{.prompt = "query"}}).sparse.weights,
            model.vectors("the quick fox", {.sparse = SparseOptions{}}).sparse.weights);
  const std::vector<std::string_view> texts = {"fox"};
  EXPECT_EQ(model.vectors(texts, {.sparse = SparseOptions{.prompt_text = "a "}}).vectors[0].sparse.weights,
            model.vectors("a fox", {.sparse = SparseOptions{}}).sparse.weights);
  test::refusal(ErrorCode::kNotFound, [&] { model.sparse({.prompt = "other"}); });
}

TEST_F(SparseTest, IsAWeightOfEachTokenForASparseStaticEmbedding) {
  std::vector<float> weights(20, 0.5f);
  weights[5] = 2;   // the
  weights[7] = -1;  // brown
  weights[8] = 0;   // fox
  write_token_weights(weights);
  const Model model = load();
  const SparseVector vector = model.vectors("the brown fox the", {.sparse = SparseOptions{}}).sparse;
  EXPECT_EQ(vector.ids, (Ids{5, 7}));
  EXPECT_EQ(vector.weights, (std::vector<float>{2, -1}));
  EXPECT_TRUE(model.vectors("", {.sparse = SparseOptions{}}).sparse.ids.empty());
  EXPECT_EQ(model.vectors("nothing", {.sparse = SparseOptions{}}).sparse.ids, Ids{1}) << "the unknown token counts";
}

TEST_F(SparseTest, IsRefusedWhereTheFilesMakeNone) {
  test::write_tiny_model(directory_);
  EXPECT_NE(test::refusal(ErrorCode::kNotFound, [&] { load().vectors("a", {.sparse = SparseOptions{}}); })
                .find("makes no sparse vectors"),
            std::string::npos);
  EXPECT_NE(test::refusal(ErrorCode::kUnsupported, [&] { load_splade(R"({"pooling_strategy": "mean"})").sparse(); })
                .find("'mean' is not supported, expected max or sum"),
            std::string::npos);
  EXPECT_NE(test::refusal(ErrorCode::kUnsupported, [&] { load_splade(R"({"activation_function": "gelu"})").sparse(); })
                .find("expected relu or log1p_relu"),
            std::string::npos);
  EXPECT_NE(test::refusal(ErrorCode::kInvalidFile, [&] { load_splade(R"({"embedding_dimension": 41})").sparse(); })
                .find("expected SpladePooling's embedding_dimension, 41"),
            std::string::npos);
  test::write_tiny_splade(directory_, kMax);
  directory_.write("modules.json", R"([
      {"path": "", "type": "sentence_transformers.models.Transformer"},
      {"path": "1_SparseAutoEncoder", "type": "sentence_transformers.sparse_encoder.models.SparseAutoEncoder"}])");
  EXPECT_NE(test::refusal(ErrorCode::kUnsupported, [&] { load().sparse(); }).find("SparseAutoEncoder"),
            std::string::npos);
}

TEST_F(SparseTest, LeavesNoDenseVector) {
  const Model model = load_splade();
  EXPECT_NE(test::refusal(ErrorCode::kUnsupported, [&] { model.embed("a"); }).find("the model makes sparse vectors"),
            std::string::npos);
  EXPECT_EQ(model.embed("a", {.pooling = PoolingMode::kCls}).size(), 24u);
  EXPECT_EQ(model.similarity(), SimilarityFunction::kDot);
}

TEST_F(SparseTest, RefusesWeightsOfAWrongShapeOrThatAreNotFinite) {
  write_token_weights(std::vector<float>(20, 1.0f));
  const std::vector<float> two = {1, 1};
  directory_.write("model.safetensors", test::image_of({{"weight", "F32", {1, 2}, test::bytes_of(two)}}));
  EXPECT_NE(test::refusal(ErrorCode::kInvalidFile, [&] { load(); }).find("shape [1, 2], expected [vocab]"),
            std::string::npos);
  directory_.write("model.safetensors", test::image_of({{"other", "F32", {2}, test::bytes_of(two)}}));
  EXPECT_NE(test::refusal(ErrorCode::kInvalidFile, [&] { load(); }).find("no tensor 'weight'"), std::string::npos);
  write_token_weights(std::vector<float>(20, std::numeric_limits<float>::quiet_NaN()));
  test::refusal(ErrorCode::kNonFinite, [&] { load().vectors("the", {.sparse = SparseOptions{}}); });
  // The text has ids without a weight.
  directory_.write("model.safetensors", test::image_of({{"weight", "F32", {2}, test::bytes_of(two)}}));
  test::refusal(ErrorCode::kInvalidArgument, [&] { load().vectors("the", {.sparse = SparseOptions{}}); });
}

TEST(SparseSimilarity, IsThatOfTheDenseVectors) {
  const SparseVector a{{1, 4, 6}, {1.0f, 2.0f, -3.0f}}, b{{0, 4, 6, 9}, {5.0f, 1.0f, 1.0f, 0.5f}};
  const std::vector<float> x = {0, 1, 0, 0, 2, 0, -3, 0, 0, 0}, y = {5, 0, 0, 0, 1, 0, 1, 0, 0, 0.5f};
  for (const SimilarityFunction function : {SimilarityFunction::kCosine, SimilarityFunction::kDot,
                                            SimilarityFunction::kEuclidean, SimilarityFunction::kManhattan}) {
    EXPECT_NEAR(similarity(function, a, b), similarity(function, x, y), 1e-12) << name(function);
    EXPECT_EQ(similarity(function, a, {}), similarity(function, {}, a));
  }
  EXPECT_EQ(similarity(SimilarityFunction::kCosine, a, SparseVector{}), 0);
  test::refusal(ErrorCode::kInvalidArgument, [&] {
    similarity(SimilarityFunction::kDot, SparseVector{{4, 4}, {1.0f, 1.0f}}, b);
  });
  test::refusal(ErrorCode::kInvalidArgument, [&] { similarity(SimilarityFunction::kDot, SparseVector{{4}, {}}, b); });
}

}  // namespace
}  // namespace bert
