// Tests the command distill.
#include <gtest/gtest.h>

#include <filesystem>

#include "bert/model.h"
#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"

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

TEST_F(Distill, TakesASifCoefficient) {
  const std::string source = source_.path().string();
  ASSERT_EQ(run_program({"distill", "--sif-coefficient", "0.5", source, path("static")}).status, 0);
  EXPECT_EQ(nlohmann::json::parse(read_file(path("static/config.json")))["sif_coefficient"], 0.5);
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
