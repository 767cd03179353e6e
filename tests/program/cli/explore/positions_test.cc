// Tests the command positions.
#include <gtest/gtest.h>

#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"

namespace bert::test {
namespace {

TEST(Positions, ReportsPositionsIfTheOptionIsGiven) {
  EXPECT_FALSE(run_program({"positions", "--format", "json"}).json().contains("positions"));
  EXPECT_EQ(run_program({"positions", "--positions", "learned", "--format", "json"}).json()["positions"], "learned");
}

TEST(Positions, OfAModelWithATableAndBucketsAreBoth) {
  BERT_TEST_DATA_OR_SKIP(model, "family/mpnet");
  const nlohmann::json object = run_program({"positions", "--model", model.string(), "--format", "json"}).json();
  EXPECT_EQ(object["position_count"], 202);
  EXPECT_EQ(object["position_embedding_type"], "relative_bias");
  ASSERT_EQ(object["layers"].size(), 1u);
  EXPECT_EQ(object["layers"][0]["bias"].size(), 3u);
  EXPECT_EQ(object["layers"][0]["bias"][0].size(), 2u * 91 + 1);
  const ProgramResult text = run_program({"positions", "--model", model.string()});
  EXPECT_NE(text.out.find("relative positions: what a score gains by distance"), std::string::npos) << text.out;
}

TEST(Positions, OfAModelWithoutAnyAreRefused) {
  const ProgramResult result = run_program({"positions", "--positions", "none"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(lines_of(result.err).back(), "bert-infer: error: the model has no positions");
  const TemporaryDirectory directory;
  directory.write("config.json", R"({"model_type": "bert"})");
  EXPECT_NE(run_program({"positions", "--model", directory.path().string()}).err.find("no weights; looked for"),
            std::string::npos);
}

TEST(Positions, TakesNoText) { EXPECT_EQ(run_program({"positions", "a"}).status, 2); }

}  // namespace
}  // namespace bert::test
