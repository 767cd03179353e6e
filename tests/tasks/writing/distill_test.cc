#include "bert/distill.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/models/tiny_model_test.h"

namespace bert {
namespace {

class DistillTest : public test::TinyModelTest {
 protected:
  DistillTest() { write_tiny_model(directory_, {.vocab = 60}); }
  Model model() const { return Model::load(directory_.path().string()); }
  std::filesystem::path result(const char* name) const { return results_.path() / name; }

  test::TemporaryDirectory results_;
};

TEST_F(DistillTest, WritesAModelAndSaysWhatItHas) {
  size_t most = 0;
  const DistilledModel made =
      distill(model(), result("static"), {.dimensions = 8, .progress = [&](size_t done, size_t all) {
                                            EXPECT_LE(done, all);
                                            most = done;
                                            return true;
                                          }});
  EXPECT_EQ(made.vocabulary, 60u);
  EXPECT_EQ(made.hidden_size, 24u);
  EXPECT_EQ(made.dimensions, 8u);
  EXPECT_EQ(most, made.tokens);
  EXPECT_FALSE(made.has_tokenizer_json);
  const Model loaded = Model::load(result("static").string());
  EXPECT_EQ(loaded.config().model_type, "static");
  EXPECT_EQ(loaded.embedding_size(), 8u);
  EXPECT_EQ(loaded.embed("fox"), loaded.embed("fox fox"));
}

// With all dimensions the projection is a rotation, which keeps distances. A row is then its token's vector times a
// weight for the token's rank.
TEST_F(DistillTest, KeepsTheDistancesOfTheTokensVectors) {
  const Model encoder = model();
  distill(encoder, result("static"), {.dimensions = 24});
  const Model made = Model::load(result("static").string());
  const auto cosine = [](const std::vector<float>& a, const std::vector<float>& b) {
    return similarity(SimilarityFunction::kCosine, a, b);
  };
  // Subtracting the mean changes cosines, so the mean of all tokens' vectors is subtracted here too.
  std::vector<std::vector<float>> vectors;
  std::vector<double> mean(24, 0);
  std::vector<int32_t> ids;
  for (int32_t id = 0; id < 60; ++id) {
    const std::string token(encoder.tokenizer().token(id));
    if (token.empty() || token.starts_with("[unused") || token == "[CLS]" || token == "[SEP]" || token == "[MASK]") {
      continue;
    }
    const int32_t sequence[] = {2, id, 3};
    const TokenSequence one{.ids = sequence};
    vectors.push_back(encoder.embed({&one, 1}, {.pooling = PoolingMode::kMean, .normalize = false}));
    ids.push_back(id);
    for (size_t c = 0; c < 24; ++c) mean[c] += static_cast<double>(vectors.back()[c]);
  }
  for (std::vector<float>& vector : vectors) {
    for (size_t c = 0; c < 24; ++c) vector[c] -= static_cast<float>(mean[c] / static_cast<double>(ids.size()));
  }
  const auto row = [&](int32_t id) {
    const TokenSequence one{.ids = {&id, 1}};
    return made.embed(std::span(&one, 1));
  };
  for (size_t i = 2; i < ids.size(); i += 7) {  // leaves out [UNK], as the mean does
    for (size_t j = 0; j < i; j += 5) {
      EXPECT_NEAR(cosine(row(ids[i]), row(ids[j])), cosine(vectors[i], vectors[j]), 2e-3) << ids[i] << " " << ids[j];
    }
  }
}

// The expected weights are calculated by hand. If n tokens have a row, the probability of the token of rank i is
// (1 / (i + 2)) / sum of 1 / (k + 2).
TEST_F(DistillTest, WeighsByTheSifCoefficient) {
  const size_t count = distill(model(), result("high"), {.dimensions = 24, .sif_coefficient = 0.5}).tokens;
  ASSERT_EQ(distill(model(), result("low"), {.dimensions = 24, .sif_coefficient = 1e-2}).tokens, count);
  const auto length = [](const Model& of, int32_t id) {
    const TokenSequence one{.ids = {&id, 1}};
    const std::vector<EncodedSequence> encoded = of.encode(std::span(&one, 1));
    double sum = 0;
    for (const float value : encoded[0].last_hidden_state) {
      sum += static_cast<double>(value) * static_cast<double>(value);
    }
    return std::sqrt(sum);
  };
  double all = 0;
  for (size_t k = 0; k < count; ++k) all += 1 / static_cast<double>(k + 2);
  const Model high = Model::load(result("high").string()), low = Model::load(result("low").string());
  size_t rank = 0;
  for (int32_t id = 0; id < 60; ++id) {
    if (length(high, id) == 0) continue;
    const double probability = 1 / static_cast<double>(rank + 2) / all;
    const double expected = 0.01 / (0.01 + probability) / (0.5 / (0.5 + probability));
    EXPECT_NEAR(length(low, id) / length(high, id) / expected, 1, 2e-3) << id;
    ++rank;
  }
  EXPECT_EQ(rank, count);
}

TEST_F(DistillTest, LeavesNothingAfterACancellation) {
  test::expect_refused(
      ErrorCode::kCancelled, [&] { distill(model(), result("x"), {.progress = [](size_t, size_t) { return false; }}); },
      "");
  EXPECT_TRUE(std::filesystem::is_empty(results_.path()));
}

TEST_F(DistillTest, RefusesWhatCannotBeDistilled) {
  test::expect_refused(
      ErrorCode::kInvalidArgument, [&] { distill(model(), result("x"), {.dimensions = 25}); }, "expected 1 to 24");
  test::expect_refused(
      ErrorCode::kInvalidArgument, [&] { distill(model(), result("x"), {.dimensions = 0}); }, "expected 1 to 24");
  test::expect_refused(
      ErrorCode::kInvalidArgument, [&] { distill(model(), result("x"), {.sif_coefficient = 0}); },
      "expected a number above 0");
  test::expect_refused(
      ErrorCode::kInvalidArgument, [&] { distill(model(), results_.path()); },
      "exists, expected the name of a new directory");
  test::expect_refused(
      ErrorCode::kInvalidArgument, [&] { distill(Model::builtin(), result("x")); }, "expected a model's directory");
  distill(model(), result("static"));
  test::expect_refused(
      ErrorCode::kInvalidArgument, [&] { distill(Model::load(result("static").string()), result("x")); },
      "is a static model");
}

}  // namespace
}  // namespace bert
