// Tests the sentences in which two models are compared. comparison_test tests the numbers, tests/program/pages_test.py
// the page.
#include "program/cli/commands/comparison_report.h"

#include <gtest/gtest.h>

#include "tests/program/cli/program.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

class ComparisonReportTest : public ::testing::Test {
 protected:
  // Returns the lines of the report that compares a tiny model with a copy. In the copy, `first` and `second` are added
  // to one weight of the first and of the second layer.
  std::vector<std::string> lines(float first, float second, const std::string& input = "the fox\na dog\nthe dog\n") {
    write_tiny_model(reference_);
    write_tiny_model(model_, {}, [&](TinyTensors& tensors) {
      tensors.at("encoder.layer.0.output.dense.weight").values[3] += first;
      tensors.at("encoder.layer.1.output.dense.weight").values[3] += second;
    });
    const ProgramResult result = run_program(
        {"verify", "--model", model_.path().string(), "--against", reference_.path().string(), "--input", "-"},
        {.standard_input = input});
    EXPECT_EQ(result.status, 0) << result.err;
    return lines_of(result.out);
  }

  TemporaryDirectory reference_, model_;
};

TEST_F(ComparisonReportTest, SaysWhatIsCompared) {
  EXPECT_EQ(lines(0, 0).front(), model_.path().string() + " (float32) compared with " + reference_.path().string() +
                                     " (float32): 3 texts, 12 tokens");
  EXPECT_EQ(
      lines(0, 0)[2],
      "The cosine of a text's two vectors is 1.0000 in the mean, and at least 1.0000 (text 1). For 100.0 % of the "
      "texts, the nearest other text is the same.");
  EXPECT_TRUE(lines(0, 0, "the fox\na dog\nthe dog\nfox\ndog\n")[2].ends_with(
      "(text 1). Of a text's 2 nearest texts, 100.0 % stay among the 2 nearest."));
  EXPECT_TRUE(lines(0, 0, "the fox\n")[2].ends_with("(text 1)."));
}

TEST_F(ComparisonReportTest, NamesTheLayersThatLoseMost) {
  EXPECT_EQ(lines(0, 0).back(), "All hidden states are the same.");
  EXPECT_TRUE(lines(0.5f, 0).back().starts_with("Layer 1 (")) << lines(0.5f, 0).back();
  EXPECT_TRUE(lines(0.1f, 0.5f).back().starts_with("Layers 2 (")) << lines(0.1f, 0.5f).back();
  EXPECT_TRUE(lines(0.5f, 0.1f).back().starts_with("Layers 1 (")) << lines(0.5f, 0.1f).back();
}

}  // namespace
}  // namespace bert::test
