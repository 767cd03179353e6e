#include "tasks/heads/tag_path.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/support/random.h"

namespace bert {
namespace {

const std::vector<std::optional<std::string>> kBioesLabels = {"O",   "B-x", "I-x", "E-x", "S-x",
                                                              "B-y", "I-y", "E-y", "S-y"};

// Returns the sum of a path's logarithms and biases as the decoder's authors define it, or nullopt if the path is not
// valid. Unlike the decoder, it goes from entity to entity and not from token to token.
std::optional<double> value_of(const std::vector<size_t>& path, const std::vector<std::vector<double>>& probabilities,
                               const TagBiases& biases) {
  double value = 0;
  for (size_t i = 0; i < path.size(); ++i) value += std::log(probabilities[i][path[i]]);
  bool after_entity = false;
  for (size_t i = 0; i < path.size();) {
    const std::string& label = *kBioesLabels[path[i]];
    const bool is_entity = label != "O";
    if (i > 0) {
      value += after_entity ? (is_entity ? biases.end_to_start : biases.end_to_background)
                            : (is_entity ? biases.background_to_start : biases.background_stay);
    }
    after_entity = is_entity;
    ++i;
    if (!is_entity || label[0] == 'S') continue;
    if (label[0] != 'B') return std::nullopt;
    for (bool is_open = true; is_open; ++i) {
      if (i == path.size()) return std::nullopt;
      const std::string& inner = *kBioesLabels[path[i]];
      if (inner == "O" || inner.substr(2) != label.substr(2) || (inner[0] != 'I' && inner[0] != 'E')) {
        return std::nullopt;
      }
      is_open = inner[0] == 'I';
      value += is_open ? biases.inside_to_continue : biases.inside_to_end;
    }
  }
  return value;
}

// Compares the decoder's path with all paths of up to five tokens.
TEST(TagPath, IsTheBestOfAllValidPaths) {
  ModelConfig config;
  config.labels = kBioesLabels;
  test::Random random(3);
  size_t other_than_most_probable = 0;
  for (size_t round = 0; round < 60; ++round) {
    const size_t tokens = 1 + round % 5;
    const auto bias = [&] { return round % 3 == 0 ? 0.0 : static_cast<double>(random.number()); };
    const TagBiases biases = {bias(), bias(), bias(), bias(), bias(), bias()};
    std::vector<std::vector<double>> probabilities(tokens, std::vector<double>(kBioesLabels.size()));
    std::vector<size_t> greedy;
    for (auto& row : probabilities) {
      for (double& one : row) one = std::exp(2 * static_cast<double>(random.number()));
      greedy.push_back(static_cast<size_t>(std::max_element(row.begin(), row.end()) - row.begin()));
    }
    std::vector<size_t> path(tokens), best;
    double best_value = 0;
    while (true) {
      const std::optional<double> value = value_of(path, probabilities, biases);
      if (value && (best.empty() || *value > best_value)) {
        best = path;
        best_value = *value;
      }
      size_t place = 0;
      while (place < tokens && ++path[place] == kBioesLabels.size()) path[place++] = 0;
      if (place == tokens) break;
    }
    EXPECT_EQ(best_tag_path(config, biases, probabilities), best) << "round " << round;
    other_than_most_probable += best != greedy;
  }
  EXPECT_GT(other_than_most_probable, 20u);
}

TEST(TagPath, IsEachTokensBestWithoutAValidPath) {
  ModelConfig config;
  config.labels = {"B-x", "I-x"};
  EXPECT_EQ(best_tag_path(config, {}, std::vector<std::vector<double>>{{0.3, 0.7}, {0.9, 0.1}}),
            (std::vector<size_t>{1, 0}));
  EXPECT_TRUE(best_tag_path(config, {}, {}).empty());
}

}  // namespace
}  // namespace bert
