#include "models/config/positions.h"

#include <gtest/gtest.h>

#include "bert/error.h"
#include "bert/explore.h"
#include "tests/support/compare.h"
#include "tests/support/expect_error.h"
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
  config.position_padding_id = 1;  // so the first token has position 2
  EXPECT_EQ(longest_sequence(config), 64u);
  config.position_embedding_type = "relative_key";  // its table has distances, which begin at 0
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
  const auto load = [&](Positions positions) {
    return Model::load(directory.path().string(), {.positions = {positions}});
  };
  const Model native = load(Positions::kNative), learned = load(Positions::kLearned),
              sinusoidal = load(Positions::kSinusoidal), none = load(Positions::kNone);
  const std::vector<int32_t> ids = {2, 5, 6, 7, 3}, turned = {3, 7, 6, 5, 2};
  EXPECT_TRUE(test::same_bits(run(native, ids), run(learned, ids)));
  EXPECT_FALSE(test::same_bits(run(native, ids), run(sinusoidal, ids)));
  EXPECT_EQ(learned.notices(), native.notices());
  EXPECT_EQ(sinusoidal.notices().back(),
            "an experiment: positions sinusoidal in place of the model's own, learned, with which it was trained");
  EXPECT_EQ(sinusoidal.config().position_embedding_type, "sinusoidal");

  const std::vector<float> forward = run(none, ids), backward = run(none, turned);
  for (size_t token = 0; token < ids.size(); ++token) {
    const auto row = [](const std::vector<float>& all, size_t index) { return std::span(all).subspan(index * 24, 24); };
    EXPECT_TRUE(test::within(1e-5, row(forward, token), row(backward, 4 - token))) << token;
  }
}

TEST(Positions, CanBeAddedAgainBeforeEveryLayer) {
  const test::TemporaryDirectory directory;
  test::write_tiny_model(directory);
  const Model once = Model::load(directory.path().string());
  for (const Positions kind : {Positions::kNative, Positions::kSinusoidal}) {
    const Model base = Model::load(directory.path().string(), {.positions = {kind}});
    const Model again = Model::load(directory.path().string(), {.positions = {kind, PositionsAt::kEveryLayer}});
    const std::vector<int32_t> ids = {2, 5, 6, 7, 3};
    const TokenSequence sequence{ids};
    // The second layer's input is the first one's output plus the embedding layer's position vectors.
    const std::vector<float> places = embedding_parts(base, sequence).position;
    EncodedSequence expected = base.encode({&sequence, 1}, {.hidden_states = true}).front();
    const size_t size = places.size();
    for (size_t i = 0; i < size; ++i) expected.hidden_states[size + i] += places[i];
    const std::vector<float> outputs = layer_outputs(base, sequence, expected.hidden_states);
    EXPECT_TRUE(test::same_bits(run(again, ids), std::span(outputs).last(size)));
    EXPECT_FALSE(test::same_bits(run(again, ids), run(base, ids)));
    EXPECT_EQ(again.notices().back(),
              "an experiment: positions " + std::string(kind == Positions::kNative ? "learned" : "sinusoidal") +
                  " before every layer in place of the model's own, learned, with which it was trained");
  }

  // If config.json asks for every layer, an experiment can ask for the input only.
  std::string config = test::read_file(directory.path() / "config.json");
  directory.write("config.json", config.replace(config.find('{'), 1, R"({"position_embeddings_at": "every-layer",)"));
  const Model native = Model::load(directory.path().string());
  EXPECT_TRUE(native.config().positions_at_every_layer);
  const std::vector<int32_t> ids = {2, 9, 3};
  EXPECT_FALSE(test::same_bits(run(native, ids), run(once, ids)));
  const Model input = Model::load(directory.path().string(), {.positions = {Positions::kNative, PositionsAt::kInput}});
  EXPECT_TRUE(test::same_bits(run(input, ids), run(once, ids)));
  EXPECT_EQ(input.notices().back(),
            "an experiment: positions learned in place of the model's own, learned before every layer, with which it "
            "was trained");
}

TEST(Positions, BeforeEveryLayerAreRefusedWhereNothingCanBeAdded) {
  const test::TemporaryDirectory directory;
  test::write_tiny_model(directory);
  const std::string folder = directory.path().string();
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument,
                           [&] {
                             Model::load(folder, {.positions = {Positions::kNone, PositionsAt::kEveryLayer}});
                           }),
            "positions before every layer: the positions are none, expected vectors that are added to the embeddings");
  const std::string config = test::read_file(directory.path() / "config.json");
  const auto refusal = [&](const std::string& settings) {
    std::string changed = config;
    directory.write("config.json", changed.replace(changed.find('{'), 1, "{" + settings + ","));
    return test::error_of([&] { Model::load(folder); });
  };
  EXPECT_NE(refusal(R"("position_embeddings_at": "output")").find("expected \"input\" or \"every-layer\""),
            std::string::npos);
  EXPECT_NE(refusal(R"("position_embeddings_at": "every-layer", "position_embedding_type": "relative_key")")
                .find("expected \"input\": the positions are relative_key"),
            std::string::npos);
  BERT_TEST_DATA_OR_SKIP(data, "family/albert");
  EXPECT_NE(test::error_of(ErrorCode::kInvalidArgument,
                           [&] {
                             Model::load(data.string(), {.positions = {Positions::kNative, PositionsAt::kEveryLayer}});
                           })
                .find("a dense layer follows the embeddings"),
            std::string::npos);
}

TEST(Positions, OfAStaticModelCannotBeReplaced) {
  const test::TemporaryDirectory directory;
  test::write_tiny_model(directory);
  directory.write("modules.json",
                  R"([{"idx": 0, "path": "", "type": "sentence_transformers.models.StaticEmbedding"}])");
  const std::string folder = directory.path().string();
  const auto refusal = [&](const PositionChoice& positions) {
    return test::error_of(ErrorCode::kUnsupported, [&] { Model::load(folder, {.positions = positions}); });
  };
  EXPECT_EQ(refusal({Positions::kLearned}),
            "positions absolute: '" + folder + "' is a static model without positions, expected one with an encoder");
  EXPECT_EQ(refusal({Positions::kSinusoidal}),
            "positions sinusoidal: '" + folder + "' is a static model without positions, expected one with an encoder");
  EXPECT_EQ(
      refusal({Positions::kNative, PositionsAt::kEveryLayer}),
      "positions before every layer: '" + folder + "' is a static model without layers, expected one with an encoder");
}

TEST(Positions, PastTheTableAreAnErrorUnlessThereIsNone) {
  const test::TemporaryDirectory directory;
  test::write_tiny_model(directory);  // the model has 24 positions
  const std::vector<int32_t> ids(40, 5);
  const Model native = Model::load(directory.path().string());
  try {
    run(native, ids);
    ADD_FAILURE() << "was encoded";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "40 tokens, expected at most 24 (the model's max_position_embeddings)");
  }
  const Model sinusoidal = Model::load(directory.path().string(), {.positions = {Positions::kSinusoidal}});
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
