// The command distill.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "bert/model.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"
#include "tests/tools/cli/program.h"

namespace bert::test {
namespace {

class Distill : public ::testing::Test {
 protected:
  Distill() { write_tiny_model(source_, {.vocab = 60}); }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  TemporaryDirectory source_, folder_;
};

TEST_F(Distill, WritesAStaticModelOfTheSameTokenizer) {
  const ProgramResult result =
      run_program({"distill", "--dimensions", "20", "--format", "json", source_.path().string(), path("static")});
  ASSERT_EQ(result.status, 0) << result.err;
  const nlohmann::json object = result.json();
  EXPECT_EQ(object["vocabulary"], 60);
  EXPECT_EQ(object["dimensions"], 20);
  EXPECT_GT(object["explained_variance"], 0.8);
  EXPECT_LE(object["explained_variance"], 1);
  EXPECT_NE(result.err.find("model2vec does not read the result"), std::string::npos) << result.err;
  EXPECT_FALSE(std::filesystem::exists(path("static.partial")));

  const Model model = Model::load(path("static"));
  EXPECT_EQ(model.config().model_type, "static");
  EXPECT_EQ(model.embedding_size(), 20u);
  const std::vector<float> fox = model.embed("fox"), foxes = model.embed("fox fox");
  EXPECT_EQ(fox, foxes) << "there is no context";
  EXPECT_NE(fox, model.embed("dog"));
}

// All dimensions: a rotation, which keeps distances. A row is then that of the token alone, weighted by its rank.
TEST_F(Distill, KeepsTheDistancesOfTheTokensVectors) {
  ASSERT_EQ(run_program({"distill", source_.path().string(), path("static")}).status, 0);
  const Model encoder = Model::load(source_.path().string());
  const Model model = Model::load(path("static"));
  ASSERT_EQ(model.embedding_size(), 24u);
  const auto cosine = [](const std::vector<float>& a, const std::vector<float>& b) {
    return similarity(SimilarityFunction::kCosine, a, b);
  };
  // Centring changes cosines; the mean of all tokens' vectors is subtracted here as there.
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
    return model.embed(std::span(&one, 1));
  };
  for (size_t i = 2; i < ids.size(); i += 7) {  // not [UNK], which the mean leaves out
    for (size_t j = 0; j < i; j += 5) {
      EXPECT_NEAR(cosine(row(ids[i]), row(ids[j])), cosine(vectors[i], vectors[j]), 2e-3) << ids[i] << " " << ids[j];
    }
  }
}

// By hand: of n tokens that have a row, the one of rank i has the probability (1 / (i + 2)) / sum of 1 / (k + 2).
TEST_F(Distill, WeighsByTheSifCoefficient) {
  const auto distilled = [&](const char* coefficient, const std::string& name) {
    const ProgramResult result = run_program(
        {"distill", "--sif-coefficient", coefficient, "--format", "json", source_.path().string(), path(name)});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(nlohmann::json::parse(read_file(path(name + "/config.json")))["sif_coefficient"], std::stod(coefficient));
    return result.json()["tokens"].get<size_t>();
  };
  const size_t count = distilled("0.5", "high");
  ASSERT_EQ(distilled("1e-2", "low"), count);
  const auto length = [](const Model& model, int32_t id) {
    const TokenSequence one{.ids = {&id, 1}};
    const std::vector<EncodedSequence> encoded = model.encode(std::span(&one, 1));
    double sum = 0;
    for (const float value : encoded[0].last_hidden_state) {
      sum += static_cast<double>(value) * static_cast<double>(value);
    }
    return std::sqrt(sum);
  };
  double all = 0;
  for (size_t k = 0; k < count; ++k) all += 1 / static_cast<double>(k + 2);
  const Model high = Model::load(path("high")), low = Model::load(path("low"));
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

TEST_F(Distill, NamesWhatIsWrong) {
  const auto error = [&](const std::vector<std::string>& words, int status) {
    const ProgramResult result = run_program(words);
    EXPECT_EQ(result.status, status) << result.err;
    return result.err;
  };
  const std::string source = source_.path().string();
  EXPECT_NE(error({"distill", source}, 2).find("needs a model (or --model) and the name of the directory"),
            std::string::npos);
  EXPECT_NE(error({"distill", source, folder_.path().string()}, 1).find("exists, expected the name of a new directory"),
            std::string::npos);
  EXPECT_NE(error({"distill", "--dimensions", "25", source, path("x")}, 1).find("25 dimensions, expected 1 to 24"),
            std::string::npos);
  EXPECT_NE(error({"distill", source, "/proc/x"}, 1).find("'/proc/x': "), std::string::npos);
  ASSERT_EQ(run_program({"distill", source, path("static")}).status, 0);
  EXPECT_NE(error({"distill", path("static"), path("x")}, 1).find("is a static model, expected one with an encoder"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path("x")));
}

}  // namespace
}  // namespace bert::test
