// Tests the command order.
#include <gtest/gtest.h>

#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"

namespace bert::test {
namespace {

const std::string kReordered = "The dog bit the man in the park";

TEST(Order, HasEachOrderAndItsEffects) {
  const auto orders = [](const char* seed) {
    const ProgramResult result =
        run_program({"order", "--format", "json", "--shuffles", "4", "--seed", seed, kReordered});
    EXPECT_EQ(result.status, 0) << result.err;
    return result.json()["orders"];
  };
  ASSERT_EQ(orders("7").size(), 6u);
  EXPECT_NE(orders("7")[2]["order"], orders("8")[2]["order"]);
  const nlohmann::json reversed = orders("7")[0];
  EXPECT_EQ(reversed["order"].size(), reversed["moved_tokens"].size());
  EXPECT_GT(reversed["moved"], 0.01);
  EXPECT_EQ(reversed["without_positions"]["largest_difference_in_one_key_order"], 0.0);
  EXPECT_LT(reversed["without_positions"]["moved"], 1e-5);
}

TEST(Order, SaysWhereThereAreFewerOrders) {
  const ProgramResult three = run_program({"order", "--format", "json", "--shuffles", "1000", "a dog ran"});
  EXPECT_EQ(three.json()["orders"].size(), 5u);
  EXPECT_NE(three.err.find("--shuffles 1000: the text has 3 orders besides its own"), std::string::npos) << three.err;
}

TEST(Order, LimitsTheShuffles) {
  const ProgramResult result = run_program({"order", "--shuffles", "1001", "a dog ran"});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("--shuffles '1001': expected a whole number of 0 to 1000"), std::string::npos);
}

TEST(Order, OfARealModelIsIdenticalWithoutPositions) {
  BERT_MINILM_OR_SKIP(model);
  const nlohmann::json object =
      run_program({"order", "--model", model.string(), "--format", "json", kReordered}).json();
  for (const nlohmann::json& order : object["orders"]) {
    EXPECT_EQ(order["without_positions"]["largest_difference_in_one_key_order"], 0.0);
    EXPECT_GT(order["moved"], 0.05);
  }
}

TEST(Order, OfAModelWithWindowsSaysHowFarTheySee) {
  BERT_TEST_DATA_OR_SKIP(data, "family_modern/modernbert");
  const TemporaryDirectory folder;
  const std::string model = with_word_tokenizer(folder, data);
  const nlohmann::json far = run_program({"order", "--model", model, "--format", "json", kReordered}).json();
  EXPECT_TRUE(far["orders"][0]["without_positions"]["largest_difference_in_one_key_order"].is_null());
  const ProgramResult text = run_program({"order", "--model", model, "the dog bit the man in the park"});
  EXPECT_NE(text.out.find("in a local layer a token sees those at most 5 places away"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("A text of at most 6 tokens would be a bag of words."), std::string::npos) << text.out;
}

TEST(Order, RefusesAModelWithoutPositions) {
  const ProgramResult result = run_program({"order", "--positions", "none", kReordered});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("--positions none: order compares"), std::string::npos) << result.err;
  EXPECT_EQ(run_program({"order", "--positions", "sinusoidal", kReordered}).status, 0);
}

TEST(Order, RefusesFewerThanTwoTokens) {
  const ProgramResult result = run_program({"order", "dog"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("the text has 1 token besides special ones, expected 2 or more"), std::string::npos);
  EXPECT_EQ(run_program({"order"}).status, 2);
  EXPECT_EQ(run_program({"order", "a", "b"}).status, 2);
}

}  // namespace
}  // namespace bert::test
