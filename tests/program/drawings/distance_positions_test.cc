// Tests the command positions, of distances.
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "tests/program/cli/program.h"

namespace bert::test {
namespace {

// config.json is enough for rotary positions. The expected mean cosine is that of rotations whose fastest pair turns
// once in 6.28 … tokens.
TEST(DistancePositions, OfRotationsNeedNoWeights) {
  const TemporaryDirectory directory;
  directory.write("config.json", R"({"model_type": "modernbert"})");
  const ProgramResult result = run_program({"positions", "--model", directory.path().string(), "--format", "json"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.err.find("no weights; the positions are those of its config.json alone"), std::string::npos);
  const nlohmann::json object = result.json();
  EXPECT_EQ(object["position_embedding_type"], "rotary");
  EXPECT_EQ(object["layers"][1]["window"], 64);
  EXPECT_EQ(object["layers"][0]["layers"], nlohmann::json({1, 4, 7, 10, 13, 16, 19, 22}));  // every third is global
  EXPECT_TRUE(object["layers"][0]["window"].is_null());
  for (const auto& [at, theta, farthest] : {std::tuple{0, 160000.0, 8191}, {1, 10000.0, 64}}) {
    const nlohmann::json& rotation = object["rotations"][at];
    EXPECT_EQ(rotation["theta"], theta);
    ASSERT_EQ(rotation["mean_cosine_by_distance"].size(), static_cast<size_t>(farthest) + 1);
    for (const int distance : {1, 10, farthest}) {
      double sum = 0;
      for (int i = 0; i < 32; ++i) sum += std::cos(distance / std::pow(theta, i / 32.0));
      EXPECT_NEAR(rotation["mean_cosine_by_distance"][distance], sum / 32, 1e-4) << distance;
    }
  }
  const std::string text = run_program({"positions", "--model", directory.path().string()}).out;
  EXPECT_NE(text.find("14 of 22 layers are local: a token sees those at most 64 places away there. From layer 1 on, a "
                      "token can depend on every other one."),
            std::string::npos)
      << text;
}

// 4 heads have the slopes 1/4, 1/16, 1/64 and 1/256. A head's weight is halved at the distance ln 2 / slope.
TEST(DistancePositions, OfAlibiAreHalvedByDistance) {
  const TemporaryDirectory directory;
  directory.write("config.json", R"({"model_type": "bert", "position_embedding_type": "alibi", "num_hidden_layers": 2,
      "hidden_size": 64, "num_attention_heads": 4, "max_position_embeddings": 64})");
  const ProgramResult result = run_program({"positions", "--model", directory.path().string()});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(lines_of(result.out)[1], "head     slope  half at      1      4     16     63");
  EXPECT_EQ(lines_of(result.out)[2], "   1      0.25      2.8  0.779  0.368  0.018  0.000");
  EXPECT_EQ(lines_of(result.out)[5], "   4  0.003906      177  0.996  0.984  0.939  0.782");
}

TEST(DistancePositions, OfSinusoidsFollowTheirFormula) {
  const nlohmann::json object = run_program({"positions", "--positions", "sinusoidal", "--format", "json"}).json();
  EXPECT_EQ(object["positions"], "sinusoidal");
  double sum = 0;
  for (int i = 0; i < 80; ++i) sum += std::cos(9 / std::pow(10000.0, i / 80.0));
  EXPECT_NEAR(object["rotations"][0]["mean_cosine_by_distance"][9], sum / 80, 1e-6);
  // The expected values are sin and cos of 2, as in docs/EMBEDDINGS.md, and of 2 · 10,000^(-1/80) = 1.7825.
  const std::string text = run_program({"positions", "--positions", "sinusoidal"}).out;
  EXPECT_NE(text.find("\n       2   0.909  -0.416  0.978  -0.210"), std::string::npos) << text;
}

}  // namespace
}  // namespace bert::test
