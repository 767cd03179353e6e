// Tests BGE-M3's sparse vectors. tests/reference/m3_models.py compares them with the reference library.
#include "models/sentence/lexical_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>

#include "bert/text_pipeline.h"
#include "engine/checkpoint/checkpoint.h"
#include "tests/models/tiny_model_test.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

class LexicalWeightsTest : public ::testing::Test {
 protected:
  Model load(size_t outputs = 1) const {
    test::write_tiny_m3(directory_, outputs);
    return Model::load(directory_.path().string(), {.threads = 2});
  }
  const test::TemporaryDirectory directory_;
};

// The expected weights are computed by the formula in float64 from the last hidden state.
TEST_F(LexicalWeightsTest, IsTheLargestOfAnIdsTokensWithoutSpecialTokens) {
  const Model model = load();
  const Checkpoint head = Checkpoint::open(directory_.path() / "sparse_linear");
  const auto* weight = reinterpret_cast<const float*>(head.find("linear.weight")->data.data());
  const float bias = *reinterpret_cast<const float*>(head.find("linear.bias")->data.data());
  size_t weights = 0, repeated = 0, negative = 0;
  for (const std::string text : {"the fox", "fox the fox dog fox", "dog dog dog the the quick", "zebra the", ""}) {
    const Encoding encoding = model.tokenizer().tokenize(text);
    const std::vector<float> hidden = model.encode(text).last_hidden_state;
    std::map<int32_t, double> expected;
    for (size_t i = 1; i + 1 < encoding.size(); ++i) {
      if (encoding.ids[i] == *model.tokenizer().unknown_id()) continue;
      double value = bias;
      for (size_t c = 0; c < 24; ++c) value += static_cast<double>(weight[c]) * static_cast<double>(hidden[i * 24 + c]);
      negative += value <= 0 ? 1 : 0;
      if (value <= 0) continue;
      repeated += expected.count(encoding.ids[i]);
      expected[encoding.ids[i]] = std::max(expected[encoding.ids[i]], value);
    }
    const SparseVector vector = model.vectors(text, {.sparse = SparseOptions{}}).sparse;
    ASSERT_EQ(vector.ids.size(), expected.size()) << text;
    EXPECT_TRUE(std::is_sorted(vector.ids.begin(), vector.ids.end()));
    for (size_t i = 0; i < vector.ids.size(); ++i) {
      EXPECT_NEAR(vector.weights[i], expected.at(vector.ids[i]), 1e-5) << text;
    }
    weights += vector.ids.size();
  }
  EXPECT_GT(weights, 0u);
  EXPECT_GT(repeated, 0u);
  EXPECT_GT(negative, 0u);
}

TEST_F(LexicalWeightsTest, LeavesTheDenseVectorAsItIs) {
  const Model model = load();
  EXPECT_TRUE(model.pooling().declared);
  EXPECT_EQ(model.pooling().unsupported, "");
  EXPECT_EQ(model.embed("the fox").size(), 24u);
  const SparseSettings settings = model.sparse();
  EXPECT_TRUE(settings.declared);
  EXPECT_EQ(settings.module, "Dense 24 to 1, Identity, of each token, max of relu");
  EXPECT_EQ(settings.similarity, SimilarityFunction::kDot);
}

TEST_F(LexicalWeightsTest, RefusesAHeadOfSeveralOutputs) {
  EXPECT_NE(test::refusal(ErrorCode::kInvalidFile, [&] { load(2); }).find("out_features is 2, expected 1"),
            std::string::npos);
}

TEST_F(LexicalWeightsTest, RefusesAnInfiniteWeight) {
  test::write_tiny_m3(directory_);
  std::string file = test::read_file(directory_.path() / "sparse_linear" / "model.safetensors");
  const float infinity = -std::numeric_limits<float>::infinity();  // relu would hide this value
  std::memcpy(file.data() + file.size() - sizeof(float) * 24, &infinity, sizeof infinity);
  directory_.write("sparse_linear/model.safetensors", file);
  const Model model = Model::load(directory_.path().string(), {.threads = 2});
  test::refusal(ErrorCode::kNonFinite, [&] { model.vectors("the fox", {.sparse = SparseOptions{}}); });
}

}  // namespace
}  // namespace bert
