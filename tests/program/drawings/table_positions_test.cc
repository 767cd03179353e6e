// Tests the command positions on a model with a position table.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

TEST(TablePositions, RefusesATableOfEqualRows) {
  const TemporaryDirectory directory;
  write_tiny_model(directory, {}, [](TinyTensors& tensors) {
    for (auto& [name, tensor] : tensors) {
      if (name.ends_with("position_embeddings.weight")) std::fill(tensor.values.begin(), tensor.values.end(), 0.5f);
    }
  });
  const ProgramResult result = run_program({"positions", "--model", directory.path().string()});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(lines_of(result.err).back(),
            "bert-infer: error: the model's position vectors are all the same, expected different ones");
}

TEST(TablePositions, MeasuresBothTables) {
  const ProgramResult result = run_program({"positions", "--format", "json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const nlohmann::json object = result.json();
  EXPECT_EQ(object["position_count"], 128);  // the built-in model's number
  EXPECT_EQ(object["hidden"], 160);
  for (const char* kind : {"learned", "sinusoidal"}) {
    ASSERT_EQ(object[kind]["cosine_by_distance"].size(), 128u);
    EXPECT_NEAR(object[kind]["cosine_by_distance"][0], 1, 1e-6);
    EXPECT_EQ(object[kind]["nearest"].size(), 128u);
  }
  // The cosine of two sinusoidal positions is the mean of cos(distance · frequency) over the frequencies.
  for (const size_t distance : {size_t{1}, size_t{9}, size_t{64}}) {
    double sum = 0;
    for (int i = 0; i < 80; ++i) sum += std::cos(static_cast<double>(distance) / std::pow(10000.0, 2 * i / 160.0));
    EXPECT_NEAR(object["sinusoidal"]["cosine_by_distance"][distance], sum / 80, 1e-6);
  }
  EXPECT_EQ(object["sinusoidal"]["neighbours_nearest"], 1.0);
  // 128 centred rows have a rank of at most 127, which is less than the width of 160.
  EXPECT_EQ(object["learned_to_sinusoidal"]["rank"], 127);
  EXPECT_NEAR(object["learned_to_sinusoidal"]["unexplained"], 0, 1e-9);
  EXPECT_GT(object["learned_to_sinusoidal"]["held_out"], 0.3);  // on rows that the fit did not use
}

// The expected numbers are those of numpy 2.4 for this table, with singular values above 1e-6 of the largest.
TEST(TablePositions, OfARealModelAgreeWithNumpy) {
  BERT_MINILM_OR_SKIP(model);
  const nlohmann::json object = run_program({"positions", "--model", model.string(), "--format", "json"}).json();
  EXPECT_EQ(object["sinusoidal_to_learned"]["rank"], 106);
  EXPECT_NEAR(object["sinusoidal_to_learned"]["unexplained"], 0.2741, 1e-4);
  EXPECT_EQ(object["learned_to_sinusoidal"]["rank"], 384);
  EXPECT_NEAR(object["learned_to_sinusoidal"]["unexplained"], 0.1148, 1e-4);
  EXPECT_NEAR(object["learned"]["neighbours_nearest"], 511.0 / 512, 1e-9);
  // Position 0 is the exception: its nearest position is not its neighbour.
  const std::string text = run_program({"positions", "--model", model.string()}).out;
  EXPECT_NE(text.find("The nearest other position is a neighbour for 511 of the 512 learned positions, and for 512 of "
                      "the sinusoidal ones."),
            std::string::npos);
  EXPECT_NEAR(object["learned"]["norm"][0], 2.3618103, 1e-5);
}

TEST(TablePositions, PrintsTablesAndSentences) {
  const ProgramResult result = run_program({"positions"});
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.out.find("The nearest other position is a neighbour for "), std::string::npos);
}

}  // namespace
}  // namespace bert::test
