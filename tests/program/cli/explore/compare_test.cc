// Tests the command compare on small models that differ in known weights.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/program/cli/program.h"
#include "tests/support/build_tree.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

class Compare : public ::testing::Test {
 protected:
  void SetUp() override {
    write_tiny_model(base_);
    write_tiny_model(tuned_, {}, [](TinyTensors& tensors) {
      for (size_t i = 12 * 24; i < 13 * 24; ++i) tensors["embeddings.word_embeddings.weight"].values[i] *= 2;
    });
  }
  ProgramResult run(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"compare", base_.path().string(), tuned_.path().string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments, {.standard_input = "the quick dog\nthe lazy fox\n"});
  }

  TemporaryDirectory base_, tuned_;
};

TEST(CompareLayers, AreInNumericOrder) {
  const std::string builtin = source_directory() + "/models/builtin";
  const nlohmann::json json =
      run_program({"compare", builtin, builtin, "--input", "-", "--format", "json"}, {.standard_input = "a dog\n"})
          .json();
  ASSERT_EQ(json["parts"].size(), 15u);  // embeddings, 12 layers, pooler, cls
  EXPECT_EQ(json["parts"][3]["name"], "encoder.layer.2");
  EXPECT_EQ(json["parts"][11]["name"], "encoder.layer.10");
}

// Row 12, of the word "dog", is doubled.
TEST_F(Compare, NamesTheOneRowThatDiffers) {
  const ProgramResult text = run({"--input", "-"});
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("\n1 of 39 tensors differs.\n"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("\ntensor                             shape    "), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("  row 12\n"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("\nthe most changed words\nword    change\ndog   100.00 %\n\n"), std::string::npos)
      << text.out;
  EXPECT_EQ(text.out.find("the most changed positions"), std::string::npos) << text.out;

  const nlohmann::json json = run({"--input", "-", "--format", "json"}).json();
  EXPECT_EQ(json["words"], nlohmann::json::parse(R"([{"word": "dog", "id": 12, "change": 1.0}])"));
  EXPECT_EQ(json["positions"], nlohmann::json::array());
  for (const nlohmann::json& tensor : json["tensors"]) {
    const bool is_it = tensor["name"] == "embeddings.word_embeddings.weight";
    EXPECT_EQ(tensor["changed_rows"], is_it ? 1 : 0) << tensor;
    EXPECT_EQ(tensor.value("first_changed_row", 0), is_it ? 12 : 0) << tensor;
  }
  // The second text does not have the word "dog", so only the first text's vector changes.
  EXPECT_EQ(json["texts"]["texts"], 2);
  EXPECT_LT(json["texts"]["least_cosine"], 0.9999);
  EXPECT_EQ(json["texts"]["least_similar"], 1);
}

TEST_F(Compare, IsDrawnOnAPage) {
  const std::string page = (base_.path() / "page.html").string(), svg = (base_.path() / "parts.svg").string();
  ASSERT_EQ(run({"--input", "-", "--html", page, "--svg", svg}).status, 0);
  const std::string html = read_file(page), drawing = read_file(svg);
  for (const char* words : {"encoder.layer.1", ">dog<", "The positions", "Loss of each layer"}) {
    EXPECT_NE(html.find(words), std::string::npos) << words;
  }
  EXPECT_TRUE(drawing.starts_with("<svg xmlns=")) << drawing.substr(0, 80);
  EXPECT_NE(drawing.find("embeddings"), std::string::npos);
}

TEST_F(Compare, NeedsTwoModelsOfOneShape) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"compare"}, {"compare", "one"}, {"compare", "one", "two", "three"}}) {
    const ProgramResult result = run_program(arguments);
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.err.find("compare needs two models: BASE (or --model) and TUNED"), std::string::npos)
        << result.err;
  }
  write_tiny_model(tuned_, {.layers = 3});
  const ProgramResult result = run({});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("the models differ in their number of layers, 3 and 2"), std::string::npos) << result.err;
}

TEST_F(Compare, ComparesWeightsAloneWithoutATokenizer) {
  std::filesystem::remove(base_.path() / "vocab.txt");
  std::filesystem::remove(tuned_.path() / "vocab.txt");
  const ProgramResult result = run({"--format", "json"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.err.find("note: the base has no tokenizer: only weights are compared\n"), std::string::npos)
      << result.err;
  EXPECT_FALSE(result.json().contains("texts"));
  EXPECT_EQ(result.json()["words"], nlohmann::json::parse(R"([{"id": 12, "change": 1.0}])"));
  EXPECT_NE(run({}).out.find("\nid 12  100.00 %"), std::string::npos);
}

}  // namespace
}  // namespace bert::test
