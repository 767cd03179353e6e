// The command order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/support/test_data.h"
#include "tests/tools/cli/program.h"

namespace bert::test {
namespace {

const std::string kReordered = "The dog bit the man in the park";

nlohmann::json states(const nlohmann::json& ids, const std::vector<std::string>& options) {
  std::vector<std::string> command = {"encode", "--input", "-", "--jsonl", "--format", "json"};
  command.insert(command.end(), options.begin(), options.end());
  const nlohmann::json line = {{"ids", ids}};
  return run_program(command, {.standard_input = line.dump() + "\n"}).json()["last_hidden_state"];
}

nlohmann::json permuted(const nlohmann::json& ids, const nlohmann::json& order) {
  nlohmann::json result = nlohmann::json::array();
  for (const size_t from : order) result.push_back(ids[from]);
  return result;
}

TEST(Order, KeepsSpecialTokensInPlace) {
  const ProgramResult result = run_program({"order", "--format", "json", "--shuffles", "4", kReordered});
  ASSERT_EQ(result.status, 0) << result.err;
  const nlohmann::json object = result.json();
  const size_t tokens = object["tokens"].size();
  ASSERT_EQ(object["orders"].size(), 6u);
  for (const nlohmann::json& order : object["orders"]) {
    std::vector<size_t> from = order["order"];
    EXPECT_EQ(from.front(), 0u);
    EXPECT_EQ(from.back(), tokens - 1);
    std::sort(from.begin(), from.end());
    for (size_t i = 0; i < tokens; ++i) EXPECT_EQ(from[i], i);
  }
  std::vector<size_t> reversed = object["orders"][0]["order"];
  EXPECT_EQ(reversed[1], tokens - 2);
  EXPECT_EQ(reversed[tokens - 2], 1u);
}

TEST(Order, ShufflesDiffer) {
  // Three tokens have 6 orders: the text's own, the reversed, the one with neighbours swapped, and 3 others.
  const ProgramResult three = run_program({"order", "--format", "json", "--shuffles", "1000", "a dog ran"});
  const nlohmann::json object = three.json();
  ASSERT_EQ(object["tokens"].size(), 5u);
  std::set<std::vector<size_t>> orders = {{0, 1, 2, 3, 4}};
  for (const nlohmann::json& order : object["orders"]) orders.insert(order["order"].get<std::vector<size_t>>());
  EXPECT_EQ(orders.size(), 6u);
  EXPECT_EQ(object["orders"].size(), 5u);
  EXPECT_NE(three.err.find("--shuffles 1000: the text has 3 orders besides its own"), std::string::npos) << three.err;
  // Two equal tokens: 3 orders. The text's own is also the one with neighbours swapped, so there is one to shuffle.
  EXPECT_EQ(run_program({"order", "--format", "json", "dog dog a"}).json()["orders"].size(), 3u);
}

TEST(Order, LimitsTheShuffles) {
  const ProgramResult result = run_program({"order", "--shuffles", "1001", "a dog ran"});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("--shuffles '1001': expected a whole number of 0 to 1000"), std::string::npos);
}

TEST(Order, AgreesWithEncode) {
  const nlohmann::json object = run_program({"order", "--format", "json", kReordered}).json();
  const nlohmann::json own = states(object["ids"], {});
  for (const nlohmann::json& order : object["orders"]) {
    const nlohmann::json other = states(permuted(object["ids"], order["order"]), {});
    for (size_t i = 0; i < own.size(); ++i) {
      const size_t from = order["order"][i];
      double square = 0, step = 0;
      for (size_t c = 0; c < own[i].size(); ++c) {
        const double a = own[from][c], b = other[i][c];
        square += a * a;
        step += (b - a) * (b - a);
      }
      EXPECT_NEAR(order["moved_tokens"][from], std::sqrt(step / square), 1e-6);
    }
    EXPECT_GT(order["moved"], 0.01);
  }
}

// Without positions only rounding differs, as in encode; with the same order of the keys, nothing.
TEST(Order, MovesNothingWithoutPositions) {
  const nlohmann::json object = run_program({"order", "--format", "json", "--shuffles", "5", kReordered}).json();
  const nlohmann::json own = states(object["ids"], {"--positions", "none"});
  for (const nlohmann::json& order : object["orders"]) {
    const nlohmann::json& without = order["without_positions"];
    EXPECT_EQ(without["largest_difference_in_one_key_order"], 0.0);
    EXPECT_LT(without["largest_difference"], 1e-4);
    EXPECT_LT(without["moved"], 1e-5);
    const nlohmann::json other = states(permuted(object["ids"], order["order"]), {"--positions", "none"});
    double largest = 0;
    for (size_t i = 0; i < own.size(); ++i) {
      const size_t from = order["order"][i];
      for (size_t c = 0; c < own[i].size(); ++c) {
        largest = std::max(largest, std::abs(double{own[from][c].get<float>()} - double{other[i][c].get<float>()}));
      }
    }
    EXPECT_NEAR(without["largest_difference"], largest, 1e-9);
  }
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

// A window of 5 places in two of four layers: the order of 10 tokens is visible without positions, that of 6 is not.
TEST(Order, OfAModelWithWindowsIsVisibleBeyondThem) {
  BERT_TEST_DATA_OR_SKIP(data, "family_modern/modernbert");
  const TemporaryDirectory folder;
  const std::string model = with_word_tokenizer(folder, data);
  const auto orders = [&](const char* text) {
    return run_program({"order", "--model", model, "--format", "json", text}).json()["orders"];
  };
  for (const nlohmann::json& order : orders("the dog bit the man in the park")) {
    EXPECT_GT(order["without_positions"]["moved"], 0.01);
    EXPECT_TRUE(order["without_positions"]["largest_difference_in_one_key_order"].is_null());
  }
  for (const nlohmann::json& order : orders("the dog bit man")) {
    EXPECT_LT(order["without_positions"]["moved"], 1e-5);
    EXPECT_EQ(order["without_positions"]["largest_difference_in_one_key_order"], 0.0);
  }
  const ProgramResult text = run_program({"order", "--model", model, "the dog bit the man in the park"});
  EXPECT_NE(text.out.find("in a local layer a token sees those at most 5 places away"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("A text of at most 6 tokens would be a bag of words."), std::string::npos) << text.out;
}

TEST(Order, ShufflesBySeed) {
  const auto shuffled = [](const char* seed) {
    return run_program({"order", "--format", "json", "--shuffles", "1", "--seed", seed, kReordered})
        .json()["orders"][2];
  };
  EXPECT_EQ(shuffled("7"), shuffled("7"));
  EXPECT_NE(shuffled("7")["order"], shuffled("8")["order"]);
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
  EXPECT_NE(result.err.find("the text has 1 tokens besides special ones, expected 2 or more"), std::string::npos);
  EXPECT_EQ(run_program({"order"}).status, 2);
  EXPECT_EQ(run_program({"order", "a", "b"}).status, 2);
}

}  // namespace
}  // namespace bert::test
