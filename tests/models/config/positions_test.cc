#include "models/config/positions.h"

#include <gtest/gtest.h>

#include "bert/error.h"
#include "bert/explore.h"
#include "tests/support/compare.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"

namespace bert {
namespace {

TEST(Positions, AreFoundByName) {
  for (const PositionScheme& scheme : position_schemes()) EXPECT_EQ(find_position_scheme(scheme.name), &scheme);
  EXPECT_EQ(find_position_scheme("unknown"), nullptr);
}

TEST(Positions, LimitASequenceByTheirTables) {
  ModelConfig config{.max_position_embeddings = 66};
  EXPECT_EQ(longest_sequence(config), 66u);
  config.position_padding_id = 1;  // the first token's is 2
  EXPECT_EQ(longest_sequence(config), 64u);
  config.position_embedding_type = "relative_key";  // has a table of distances, which begin at 0
  EXPECT_EQ(longest_sequence(config), 66u);
  config.position_embedding_type = "sinusoidal";
  EXPECT_EQ(longest_sequence(config), std::nullopt);
}

std::vector<float> run(const Model& model, const std::vector<int32_t>& ids) {
  const TokenSequence one{ids};
  return model.encode({&one, 1})[0].last_hidden_state;
}

TEST(Positions, CanBeSwappedForAnExperimentWhichIsSaid) {
  const test::TemporaryDirectory directory;
  test::write_tiny_model(directory);
  const auto load = [&](Positions positions) { return load_with_positions(directory.path().string(), positions); };
  const Model native = load(Positions::kNative), learned = load(Positions::kLearned),
              sinusoidal = load(Positions::kSinusoidal), none = load(Positions::kNone);
  const std::vector<int32_t> ids = {2, 5, 6, 7, 3}, turned = {3, 7, 6, 5, 2};
  EXPECT_TRUE(test::same_bits(run(native, ids), run(learned, ids)));
  EXPECT_FALSE(test::same_bits(run(native, ids), run(sinusoidal, ids)));
  EXPECT_EQ(learned.notices(), native.notices());
  EXPECT_EQ(sinusoidal.notices().back(), "an experiment: positions sinusoidal in place of the model's own, absolute");
  EXPECT_EQ(sinusoidal.config().position_embedding_type, "sinusoidal");

  const std::vector<float> forward = run(none, ids), backward = run(none, turned);
  for (size_t token = 0; token < ids.size(); ++token) {
    const auto row = [](const std::vector<float>& all, size_t index) { return std::span(all).subspan(index * 24, 24); };
    EXPECT_TRUE(test::within(1e-5, row(forward, token), row(backward, 4 - token))) << token;
  }
}

TEST(Positions, PastTheTableAreAnErrorUnlessThereIsNone) {
  const test::TemporaryDirectory directory;
  test::write_tiny_model(directory);  // 24 positions
  const std::vector<int32_t> ids(40, 5);
  const Model native = Model::load(directory.path().string());
  try {
    run(native, ids);
    ADD_FAILURE() << "was encoded";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "40 tokens, expected at most 24 (the model's max_position_embeddings)");
  }
  const Model sinusoidal = load_with_positions(directory.path().string(), Positions::kSinusoidal);
  EXPECT_EQ(run(sinusoidal, ids).size(), 40u * 24);
  EXPECT_EQ(sinusoidal.max_length(), 24u);
}

TEST(Positions, LimitATokenizerWithoutWeightsAlike) {
  const test::TemporaryDirectory directory;
  test::write_tiny_model(directory);
  EXPECT_EQ(load_tokenizer(directory.path().string()).max_positions, 24u);
  std::string config = test::read_file(directory.path() / "config.json");
  directory.write("config.json", config.replace(config.find('{'), 1, R"({"position_embedding_type": "none",)"));
  const LoadedTokenizer loaded = load_tokenizer(directory.path().string());
  const Model model = Model::load(directory.path().string(), {.ignore_unexpected = true});
  EXPECT_EQ(loaded.max_positions, model.max_positions());
  EXPECT_EQ(loaded.max_length, model.max_length());
}

}  // namespace
}  // namespace bert
