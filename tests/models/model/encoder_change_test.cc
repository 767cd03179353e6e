#include "models/model/encoder_change.h"

#include <gtest/gtest.h>

#include "models/config/config.h"
#include "tests/models/tiny_model_test.h"
#include "tests/support/compare.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

ModelConfig small_bert() { return parse_config(R"({"model_type": "bert", "num_hidden_layers": 3})", "config.json"); }

TEST(EncoderChange, IsNoneUnlessAsked) {
  ModelConfig config = small_bert();
  const EncoderChange change = change_encoder(config, {}, std::nullopt, "DIR");
  EXPECT_EQ(change.family->model_type, "bert");
  EXPECT_EQ(change.experiment, "");
  EXPECT_EQ(config.num_hidden_layers, 3u);
}

TEST(EncoderChange, LeavesOutLayersAndReplacesPositions) {
  ModelConfig config = small_bert();
  const EncoderChange change = change_encoder(config, {.kind = Positions::kSinusoidal}, 2, "DIR");
  EXPECT_EQ(config.num_hidden_layers, 2u);
  EXPECT_EQ(change.experiment.rfind("an experiment: positions sinusoidal", 0), 0u) << change.experiment;
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { change_encoder(config, {}, 9, "DIR"); }),
            "layers 9, expected 1 to 2, the layers of 'DIR'");
}

const Family& family(const char* type) { return *find_family(type); }

TEST(FirstLayers, AreWhatTheConfigurationHas) {
  ModelConfig config = default_config(family("bert"));
  keep_first_layers(config, 10, "DIR");
  EXPECT_EQ(config.num_hidden_layers, 10u);
  ModelConfig local = default_config(family("modernbert"));
  local.local_layers.assign(22, true);
  keep_first_layers(local, 3, "DIR");
  EXPECT_EQ(local.local_layers.size(), 3u);
}

TEST(FirstLayers, AreFromOneToAll) {
  ModelConfig config = default_config(family("bert"));
  const auto refused = [&](size_t layers, ErrorCode code = ErrorCode::kInvalidArgument) {
    return test::error_of(code, [&] { keep_first_layers(config, layers, "DIR"); });
  };
  EXPECT_EQ(refused(0), "layers 0, expected 1 to 12, the layers of 'DIR'");
  EXPECT_EQ(refused(13), "layers 13, expected 1 to 12, the layers of 'DIR'");
  config.num_hidden_groups = 2;
  EXPECT_EQ(refused(11, ErrorCode::kUnsupported),
            "'DIR': its layers are in 2 groups that share weights, expected one group for the first layers alone");
}

TEST(FirstLayers, AreCountedInFieldsOfConfigJson) {
  EXPECT_EQ(layer_count_fields(family("bert")), std::vector<std::string>{"num_hidden_layers"});
  EXPECT_EQ(layer_count_fields(family("distilbert")), (std::vector<std::string>{"n_layers", "num_hidden_layers"}));
  EXPECT_EQ(layer_count_fields(family("nomic_bert")), (std::vector<std::string>{"num_hidden_layers", "n_layer"}));
}

using FirstLayersOfAModel = test::TinyModelTest;

TEST_F(FirstLayersOfAModel, EndWithTheHiddenStateOfTheWholeModel) {
  const Model whole = load({.layers = 3});
  const EncodedText all = whole.encode("the quick fox", EncodeOptions{.hidden_states = true});
  for (const size_t layers : {size_t{1}, size_t{2}, size_t{3}}) {
    const Model first = Model::load(directory_.path().string(), {.threads = 2, .layers = layers});
    EXPECT_EQ(first.config().num_hidden_layers, layers);
    const size_t size = all.tokens * all.hidden;
    const std::vector<float> state(all.hidden_states.begin() + static_cast<long>(layers * size),
                                   all.hidden_states.begin() + static_cast<long>((layers + 1) * size));
    EXPECT_TRUE(test::same_bits(first.encode("the quick fox").last_hidden_state, state)) << layers;
  }
  EXPECT_EQ(Model::builtin({.layers = 1}).config().num_hidden_layers, 1u);
}

TEST_F(FirstLayersOfAModel, AreThoseOfConfigJsonWhereTheFileHasMore) {
  const std::vector<float> expected = load({.layers = 3}, {}, {.threads = 2, .layers = 2}).embed("the quick fox");
  const test::TemporaryDirectory of_config;
  test::write_tiny_model(of_config, {.layers = 2});
  directory_.write("config.json", test::read_file(of_config.path() / "config.json"));
  const Model model = Model::load(directory_.path().string(), {.threads = 2});
  EXPECT_TRUE(test::same_bits(model.embed("the quick fox"), expected));
  EXPECT_EQ(model.notices().back(),
            "config.json names 2 layers and the weights have 1 more, which are not used, as in the reference library");
  const Model one = Model::load(directory_.path().string(), {.threads = 2, .layers = 1});
  EXPECT_EQ(one.notices().size() + 1, model.notices().size());
}

TEST_F(FirstLayersOfAModel, AreRefusedWhereThereIsNone) {
  write_tiny_model(directory_);
  directory_.write("modules.json",
                   R"([{"idx": 0, "path": "", "type": "sentence_transformers.models.StaticEmbedding"}])");
  const std::string message = test::error_of(
      ErrorCode::kUnsupported, [&] { Model::load(directory_.path().string(), LoadOptions{.layers = 1}); });
  EXPECT_NE(message.find("is a static model without layers, expected one with an encoder"), std::string::npos)
      << message;
}

}  // namespace

}  // namespace bert
