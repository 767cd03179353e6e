#include "models/config/attention_settings.h"

#include <gtest/gtest.h>
#include <functional>
#include <string>

#include "bert/error.h"
#include "models/config/config.h"
#include "tests/support/expect_error.h"

namespace bert {
namespace {

ModelConfig sized(size_t layers = 4) {
  ModelConfig config;
  config.num_hidden_layers = layers;
  config.hidden_size = 24;
  config.num_attention_heads = 4;
  config.max_position_embeddings = 100;
  return config;
}

// Returns the message of the error that `read` throws for these fields, or "".
std::string error_of(const std::string& json, const std::function<void(const JsonObject&, ModelConfig&)>& read) {
  const JsonDocument document = parse_json(json, "config.json", {});
  ModelConfig config = sized();
  try {
    read(JsonObject(document.root(), "config.json"), config);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

ModelConfig read(const std::string& json, const std::function<void(const JsonObject&, ModelConfig&)>& read) {
  const JsonDocument document = parse_json(json, "config.json", {});
  ModelConfig config = sized();
  read(JsonObject(document.root(), "config.json"), config);
  return config;
}

const auto kRotary = [](const JsonObject& fields, ModelConfig& config) { read_rotary(fields, 500, config); };

TEST(AttentionSettings, TakeThetaFromTheNearestPlace) {
  EXPECT_EQ(read("{}", kRotary).rotary.theta, 500);
  EXPECT_EQ(read(R"({"rope_theta": 20000})", kRotary).rotary.theta, 20000);
  EXPECT_EQ(read(R"({"rope_theta": 20000, "rope_parameters": {"rope_theta": 7.5}})", kRotary).rotary.theta, 7.5);
  EXPECT_EQ(read(R"({"rope_theta": 20000, "rope_parameters": null})", kRotary).rotary.theta, 20000);
}

TEST(AttentionSettings, ReadScalings) {
  const ModelConfig config = read(R"({"rope_theta": 9, "rope_scaling": {"type": "ntk", "factor": 8.0}})", kRotary);
  EXPECT_EQ(config.rotary.scaling, RotaryScaling::kNtk);
  EXPECT_EQ(config.rotary.factor, 8);
  EXPECT_EQ(config.rotary.theta, 9);
  const ModelConfig dynamic = read(R"({"rope_parameters": {"rope_type": "dynamic", "factor": 2}})", kRotary);
  EXPECT_EQ(dynamic.rotary.trained_length, 100u);
  const RotaryConfig yarn = read(R"({"rope_scaling": {"rope_type": "yarn", "factor": 4, "beta_fast": 16,
                                     "mscale": 2, "mscale_all_dim": 0.5}})",
                                 kRotary)
                                .rotary;
  EXPECT_EQ(yarn.scaling, RotaryScaling::kYarn);
  EXPECT_EQ(yarn.trained_length, 100u);
  EXPECT_EQ(yarn.beta_fast, 16);
  EXPECT_TRUE(yarn.truncate);
  EXPECT_NEAR(yarn.attention_factor, 1.1944649, 1e-6);  // (0.2 ln 4 + 1) / (0.05 ln 4 + 1)
  EXPECT_EQ(error_of(R"({"rope_scaling": {"type": "longrope"}})", kRotary),
            "'config.json': rope_scaling.type 'longrope' is not supported, expected 'default' or 'linear' or 'ntk' or "
            "'dynamic' or 'yarn' or 'llama3'");
  const char* const llama3 = R"({"rope_scaling": {"rope_type": "llama3", "factor": 8, "low_freq_factor": 1,
                                 "high_freq_factor": 4, "original_max_position_embeddings": 64}})";
  const RotaryConfig by_turns = read(llama3, kRotary).rotary;
  EXPECT_EQ(by_turns.scaling, RotaryScaling::kLlama3);
  EXPECT_EQ(by_turns.trained_length, 64u);
  EXPECT_EQ(by_turns.beta_slow, 1);
  EXPECT_EQ(by_turns.beta_fast, 4);
  const std::string beside = std::string(llama3).insert(1, R"("original_max_position_embeddings": 32, )");
  EXPECT_EQ(read(beside, kRotary).rotary.trained_length, 32u);
  EXPECT_NE(error_of(R"({"rope_scaling": {"type": "llama3", "factor": 8, "low_freq_factor": 4}})", kRotary), "");
  EXPECT_EQ(error_of(R"({"partial_rotary_factor": 0.5})", kRotary),
            "'config.json': partial_rotary_factor 0.5 is not supported, expected 1");
  EXPECT_NE(error_of(R"({"rope_scaling": {"type": "linear"}})", kRotary), "");
}

TEST(AttentionSettings, ReadAKindForLocalLayers) {
  const auto layered = [](const JsonObject& fields, ModelConfig& config) {
    read_layered_rotary(fields, {"global_rope_theta", "local_rope_theta", 160000, 10000}, config);
  };
  const ModelConfig older = read(R"({"global_rope_theta": 3, "local_rope_theta": 4})", layered);
  EXPECT_EQ(older.rotary.theta, 3);
  EXPECT_EQ(older.local_rotary.theta, 4);
  const ModelConfig newer =
      read(R"({"rope_parameters": {"full_attention": {"rope_theta": 5}, "sliding_attention": null}})", layered);
  EXPECT_EQ(newer.rotary.theta, 5);
  EXPECT_EQ(newer.local_rotary.theta, 10000);
}

// The expected values are those of ModernBertConfig in transformers 5.24.
TEST(AttentionSettings, ReadAnOlderScalingBesideTheNewerParameters) {
  const auto layered = [](const JsonObject& fields, ModelConfig& config) {
    read_layered_rotary(fields, {"global_rope_theta", "local_rope_theta", 160000, 10000}, config);
  };
  EXPECT_EQ(read(R"({"rope_scaling": {"type": "linear", "factor": 2}})", layered).rotary.scaling, RotaryScaling::kNone);
  EXPECT_EQ(read(R"({"rope_scaling": {"rope_type": "linear", "factor": 2}})", layered).rotary.scaling,
            RotaryScaling::kLinear);
  const ModelConfig both = read(
      R"({"rope_scaling": {"type": "linear", "factor": 2},
          "rope_parameters": {"full_attention": {"rope_type": "default", "rope_theta": 5},
                              "sliding_attention": {"rope_theta": 7}}})",
      layered);
  EXPECT_EQ(both.rotary.scaling, RotaryScaling::kNone);
  EXPECT_EQ(both.rotary.theta, 5);
  EXPECT_EQ(both.local_rotary.scaling, RotaryScaling::kLinear);
  EXPECT_EQ(both.local_rotary.theta, 7);
  EXPECT_EQ(both.local_rotary.factor, 2);
}

TEST(AttentionSettings, ReadWhichLayersAreLocal) {
  const auto third = [](const JsonObject& fields, ModelConfig& config) { read_local_layers(fields, 2, 3, config); };
  EXPECT_EQ(read("{}", third).local_layers, (std::vector<bool>{true, true, false, true}));
  EXPECT_EQ(
      read(R"({"layer_types": ["full_attention", "full_attention", "sliding_attention", "full_attention"]})", third)
          .local_layers,
      (std::vector<bool>{false, false, true, false}));
  EXPECT_NE(error_of(R"({"layer_types": ["full_attention"]})", third), "");
  EXPECT_NE(error_of(R"({"layer_types": ["a", "b", "c", "d"]})", third), "");
}

TEST(AttentionSettings, ReadHeadsOfKeys) {
  const auto heads = [](const JsonObject& fields, ModelConfig& config) { read_heads(fields, config); };
  EXPECT_EQ(read("{}", heads).key_value_heads(), 4u);
  EXPECT_EQ(read(R"({"num_key_value_heads": 2, "head_dim": 6})", heads).key_value_heads(), 2u);
  EXPECT_EQ(error_of(R"({"num_key_value_heads": 3})", heads),
            "'config.json': num_key_value_heads: found 3, expected a divisor of num_attention_heads 4");
  EXPECT_NE(error_of(R"({"head_dim": 7})", heads), "");
}

TEST(AttentionSettings, ReadHeadsOfASizeOfTheirOwn) {
  const auto heads = [](const JsonObject& fields, ModelConfig& config) { read_heads(fields, config, HeadSize::kOwn); };
  EXPECT_EQ(read(R"({"head_dim": 7})", heads).head_dim(), 7u);
  EXPECT_EQ(read("{}", heads).head_dim(), 6u);
}

TEST(AttentionSettings, ReadANumberForEachLayer) {
  const auto numbers = [](const std::string& json) {
    const JsonDocument document = parse_json(json, "config.json", {});
    return layer_numbers(JsonObject(document.root(), "config.json"), "windows", sized());
  };
  EXPECT_EQ(numbers("{}"), std::vector<double>());
  EXPECT_EQ(numbers(R"({"windows": [1, null, 2.5, 0]})"), (std::vector<double>{1, 0, 2.5, 0}));
  EXPECT_THROW(numbers(R"({"windows": [1, 2]})"), Error);
  EXPECT_THROW(numbers(R"({"windows": [1, 2, 3, -1]})"), Error);
}

ModelConfig parse(const std::string& fields) {
  return parse_config(R"({"model_type": "deberta-v2", "hidden_size": 24, "num_attention_heads": 3, )" + fields + "}",
                      "config.json");
}

constexpr const char* kV3 = R"("relative_attention": true, "pos_att_type": "p2c| C2P", "share_att_key": true,
    "norm_rel_ebd": "layer_norm", "position_buckets": 16, "max_relative_positions": -1,
    "position_biased_input": false, "type_vocab_size": 0)";

TEST(DisentangledConfig, ReadsThoseOfVersion3) {
  const ModelConfig config = parse(kV3);
  EXPECT_EQ(config.position_embedding_type, "disentangled");
  EXPECT_EQ(config.type_vocab_size, 0u);
  ASSERT_TRUE(config.disentangled);
  EXPECT_EQ(config.disentangled->position_buckets, 16u);
  EXPECT_EQ(config.disentangled->max_relative_positions, 512u);
  EXPECT_TRUE(config.disentangled->content_to_position);
  EXPECT_TRUE(config.disentangled->position_to_content);
  EXPECT_TRUE(config.disentangled->share_att_key);
  EXPECT_TRUE(config.disentangled->normalizes_distances);
  EXPECT_EQ(config.disentangled->score_terms(), 3u);
}

TEST(DisentangledConfig, TakesTheReferencesDefaults) {
  const ModelConfig plain = parse(R"("vocab_size": 5)");
  EXPECT_EQ(plain.position_embedding_type, "absolute");
  EXPECT_EQ(plain.type_vocab_size, 0u);
  EXPECT_EQ(plain.layer_norm_eps, 1e-7);
  EXPECT_EQ(plain.disentangled->score_terms(), 1u);
  EXPECT_EQ(parse(R"("position_biased_input": false)").position_embedding_type, "none");
  const ModelConfig relative =
      parse(R"("relative_attention": true, "pos_att_type": ["p2c"], "max_relative_positions": 40)");
  EXPECT_EQ(relative.position_embedding_type, "disentangled_absolute");
  EXPECT_EQ(relative.disentangled->position_buckets, 0u);
  EXPECT_EQ(relative.disentangled->max_relative_positions, 40u);
  EXPECT_FALSE(relative.disentangled->content_to_position);
  EXPECT_FALSE(relative.disentangled->share_att_key);
  EXPECT_FALSE(relative.disentangled->normalizes_distances);
}

TEST(DisentangledConfig, ReadsTheConvolutionOfLargerModels) {
  EXPECT_FALSE(parse(kV3).convolution);
  EXPECT_FALSE(parse(kV3 + std::string(R"(, "conv_kernel_size": 0)")).convolution);
  const ModelConfig plain = parse(kV3 + std::string(R"(, "conv_kernel_size": 3)"));
  EXPECT_EQ(plain.convolution->width, 3u);
  EXPECT_EQ(plain.convolution->activation, "tanh");  // this is the reference's default
  EXPECT_EQ(parse(kV3 + std::string(R"(, "conv_kernel_size": 5, "conv_act": "gelu")")).convolution->activation, "gelu");
  // With an even width, the reference's padded convolution returns fewer rows than tokens.
  const std::string even = kV3 + std::string(R"(, "conv_kernel_size": 4)");
  EXPECT_NE(test::error_of(ErrorCode::kInvalidFile, [&] { parse(even); }).find("expected an odd number"),
            std::string::npos);
}

TEST(DisentangledConfig, RefusesByNameWhatIsNotDone) {
  for (const auto& [field, found] :
       {std::pair<std::string, std::string>{R"("embedding_size": 12)", "embedding_size 12"},
        {R"("pooler_hidden_size": 12)", "pooler_hidden_size 12"},
        {R"("attention_head_size": 64)", "attention_head_size 64"},
        {R"("conv_kernel_size": 3, "conv_groups": 2)", "conv_groups 2"},
        {R"("conv_kernel_size": 3, "conv_act": "softsign")", "conv_act 'softsign'"},
        {R"("pooler_hidden_act": "tanh")", "pooler_hidden_act 'tanh'"}}) {
    const std::string error = test::error_of(ErrorCode::kUnsupported, [&more = field] { parse(kV3 + (", " + more)); });
    EXPECT_NE(error.find(found), std::string::npos) << error;
  }
  const auto refusal = [](const std::string& fields) {
    return test::error_of(ErrorCode::kUnsupported, [&] { parse(fields); });
  };
  EXPECT_NE(refusal(R"("pos_att_type": "c2p|p2p", "relative_attention": true)").find("'p2p'"), std::string::npos);
  EXPECT_NE(refusal(R"("pos_att_type": "c2p")").find("relative_attention false"), std::string::npos);
  EXPECT_NE(refusal(R"("relative_attention": true, "pos_att_type": "c2p", "norm_rel_ebd": "batch")").find("'batch'"),
            std::string::npos);
}

// With these fields the reference divides by zero or by the logarithm of 1.
TEST(DisentangledConfig, RefusesBucketsThatHaveNoBorders) {
  const auto refusal = [](const std::string& fields) {
    return test::error_of(ErrorCode::kInvalidFile,
                          [&] { parse(R"("relative_attention": true, "pos_att_type": "c2p", )" + fields); });
  };
  EXPECT_NE(refusal(R"("position_buckets": 1)").find("position_buckets: found 1"), std::string::npos);
  EXPECT_NE(refusal(R"("position_buckets": 64, "max_relative_positions": 33)").find("found 64"), std::string::npos);
  EXPECT_EQ(refusal(R"("position_buckets": 64, "max_relative_positions": 34)"), "");
}

}  // namespace

}  // namespace bert
