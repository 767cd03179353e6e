// The command explain, compared with encode on the same text.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/test_data.h"
#include "tests/tools/cli/program.h"

namespace bert::test {
namespace {

const std::string kExplained = "The quick brown fox jumps";

std::vector<double> row_of(const nlohmann::json& rows, size_t index) { return rows[index].get<std::vector<double>>(); }

double length_of(const std::vector<double>& row) {
  double sum = 0;
  for (const double value : row) sum += value * value;
  return std::sqrt(sum);
}

TEST(Explain, SharesOfThePartsSumToOne) {
  const ProgramResult result = run_program({"explain", "--format", "json", kExplained});
  ASSERT_EQ(result.status, 0) << result.err;
  const nlohmann::json object = result.json();
  ASSERT_EQ(object["embedding"].size(), object["tokens"].size());
  for (const nlohmann::json& token : object["embedding"]) {
    double shares = 0;
    for (const char* part : {"word", "position", "segment"}) {
      const double share = token[part]["share"], part_norm = token[part]["norm"], cosine = token[part]["cosine"];
      EXPECT_NEAR(share, part_norm * cosine / token["sum_norm"].get<double>(), 1e-9);
      shares += share;
    }
    EXPECT_NEAR(shares, 1, 1e-6);
  }
}

TEST(Explain, MeasuresTheHiddenStatesOfEncode) {
  const nlohmann::json moved = run_program({"explain", "--format", "json", kExplained}).json()["moved"];
  const nlohmann::json encoded = run_program({"encode", "--format", "json", "--layers", kExplained}).json();
  const nlohmann::json& states = encoded["hidden_states"];
  ASSERT_EQ(moved.size() + 1, states.size());
  for (size_t layer = 0; layer < moved.size(); ++layer) {
    for (size_t t = 0; t < encoded["tokens"].size(); ++t) {
      const std::vector<double> from = row_of(states[layer], t);
      std::vector<double> step = row_of(states[layer + 1], t);
      for (size_t c = 0; c < step.size(); ++c) step[c] -= from[c];
      EXPECT_NEAR(moved[layer][t], length_of(step) / length_of(from), 1e-6) << layer << " " << t;
    }
  }
}

TEST(Explain, PrintsTablesWithALineForEachToken) {
  const ProgramResult result = run_program({"explain", "a dog"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  size_t dogs = 0;
  for (const std::string& line : lines_of(result.out))
    dogs += line.starts_with(" 2  dog") || line.starts_with("2  dog");
  EXPECT_EQ(dogs, 2u) << result.out;
  EXPECT_EQ(run_program({"explain", "--format", "jsonl", "a dog"}).json_lines().size(), 1u);
}

TEST(Explain, TakesOneTextAndItsPair) {
  EXPECT_EQ(run_program({"explain"}).status, 2);
  EXPECT_EQ(run_program({"explain", "a", "b"}).status, 2);
  const nlohmann::json pair = run_program({"explain", "--format", "json", "--pair", "a cat", "a dog"}).json();
  EXPECT_EQ(pair["type_ids"], nlohmann::json({0, 0, 0, 0, 1, 1, 1}));
}

}  // namespace
}  // namespace bert::test
