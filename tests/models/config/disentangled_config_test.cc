// The fields of DeBERTa's attention, as transformers 5.23 reads them.
#include "models/config/disentangled_config.h"

#include <gtest/gtest.h>

#include <string>

#include "bert/error.h"
#include "models/config/config.h"
#include "tests/support/expect_error.h"

namespace bert {
namespace {

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
  EXPECT_EQ(plain.convolution->activation, "tanh");  // the reference's default
  EXPECT_EQ(parse(kV3 + std::string(R"(, "conv_kernel_size": 5, "conv_act": "gelu")")).convolution->activation, "gelu");
  // The reference's padding of an even width gives fewer rows than the layer has.
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

// The reference divides by zero, or by the logarithm of 1.
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
