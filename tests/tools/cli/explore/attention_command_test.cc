// The command attention, compared with the attentions that encode writes.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/test_data.h"
#include "tests/tools/cli/program.h"

namespace bert::test {
namespace {

TEST(Attention, SummarizesTheWeightsThatEncodeWrites) {
  const std::string text = "The quick brown fox";
  const ProgramResult result = run_program({"attention", "--format", "json", text});
  ASSERT_EQ(result.status, 0) << result.err;
  const nlohmann::json object = result.json();
  const nlohmann::json weights = run_program({"encode", "--format", "json", "--attentions", text}).json()["attentions"];
  const size_t tokens = object["tokens"].size();
  EXPECT_NEAR(object["max_entropy"], std::log2(static_cast<double>(tokens)), 1e-12);
  EXPECT_EQ(object["attentions"], weights);
  ASSERT_EQ(object["entropy"].size(), weights.size());
  for (size_t layer = 0; layer < weights.size(); ++layer) {
    ASSERT_EQ(object["entropy"][layer].size(), weights[layer].size());
    for (size_t head = 0; head < weights[layer].size(); ++head) {
      double entropy = 0, previous = 0, special = 0;
      for (size_t query = 0; query < tokens; ++query) {
        const std::vector<double> row = weights[layer][head][query];
        for (const double p : row) entropy -= p > 0 ? p * std::log2(p) : 0;
        if (query > 0) previous += row[query - 1];
        special += row.front() + row.back();
      }
      const auto mean = [&](double sum) { return sum / static_cast<double>(tokens); };
      EXPECT_NEAR(object["entropy"][layer][head], mean(entropy), 1e-6);
      EXPECT_NEAR(object["previous"][layer][head], mean(previous), 1e-6);
      EXPECT_NEAR(object["special"][layer][head], mean(special), 1e-6);
    }
  }
}

// npz_test.cc reads the format; entries are stored, so that the weights' bytes are in the file as they are.
TEST(Attention, WritesTheWeightsAsArrays) {
  const std::string npz = run_program({"attention", "--format", "npz", "a dog"}).out;
  const nlohmann::json object = run_program({"attention", "--format", "json", "a dog"}).json();
  for (const char* name : {"tokens", "entropy", "self", "previous", "next", "special", "attentions"}) {
    EXPECT_NE(npz.find(std::string(name) + ".npy"), std::string::npos) << name;
  }
  EXPECT_NE(npz.find("'descr': '<f4', 'fortran_order': False, 'shape': (12, 5, 4, 4), }"), std::string::npos);
  std::string row;
  for (const float weight : object["attentions"][11][4][3].get<std::vector<float>>()) {
    row.append(reinterpret_cast<const char*>(&weight), sizeof(weight));
  }
  EXPECT_NE(npz.find(row), std::string::npos);
}

TEST(Attention, CountsLayersAndHeadsFromOne) {
  const std::vector<std::string> lines = lines_of(run_program({"attention", "a dog"}).out);
  EXPECT_TRUE(lines[1].starts_with("    1     1 ")) << lines[1];
  EXPECT_TRUE(lines[60].starts_with("   12     5 ")) << lines[60];
}

TEST(Attention, PrintsALineForEachHead) {
  const ProgramResult result = run_program({"attention", "a dog"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(lines_of(result.out).size(), 1u + 12 * 5 + 2);  // the built-in model's heads, a title, a sentence
}

// Windows of 5 places in layers 2 and 3, 10 tokens: they see 6, 7, 8, 9, 10 and again 10, 9, 8, 7, 6 tokens.
TEST(Attention, OfUniformWeightsInAWindow) {
  BERT_TEST_DATA_OR_SKIP(data, "family_modern/modernbert");
  const TemporaryDirectory folder;
  const std::string model = with_word_tokenizer(folder, data), text = "the dog bit the man in the park";
  const nlohmann::json object = run_program({"attention", "--model", model, "--format", "json", text}).json();
  ASSERT_EQ(object["tokens"].size(), 10u);
  EXPECT_EQ(object["window"], 5);
  EXPECT_NEAR(object["max_local_entropy"],
              (std::log2(6.0) + std::log2(7.0) + std::log2(8.0) + std::log2(9.0) + std::log2(10.0)) / 5, 1e-12);
  EXPECT_NE(run_program({"attention", "--model", model, text})
                .out.find("in layers 2 and 3, where a token sees those at most 5 places away"),
            std::string::npos);
  const nlohmann::json few = run_program({"attention", "--model", model, "--format", "json", "the dog"}).json();
  EXPECT_FALSE(few.contains("window"));
}

TEST(Attention, TakesOneText) { EXPECT_EQ(run_program({"attention", "a", "b"}).status, 2); }

}  // namespace
}  // namespace bert::test
