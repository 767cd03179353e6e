#include "tests/models/families/own_heads_check.h"

namespace bert {
namespace {

using test::OwnHeadsModel;

// The model has Gemma 2's layers with bidirectional attention under other names. The decoder's tensors are not used.
TEST(T5GemmaFamily, HasGemma2sLayers) {
  OwnHeadsModel tiny(OwnHeadsModel::Shape::kGemma2);
  const nlohmann::json settings = {
      {"sliding_window", 8}, {"query_pre_attn_scalar", 9}, {"attn_logit_softcapping", 0.5}};
  const test::TemporaryDirectory gemma2, t5gemma;
  nlohmann::json of_gemma2 = settings;
  of_gemma2.update({{"model_type", "gemma2"}, {"is_causal", false}});
  tiny.write(gemma2, of_gemma2);
  const nlohmann::json sizes = tiny.config();
  for (size_t layer = 0; layer < OwnHeadsModel::kLayers; ++layer) {
    const std::string at = "layers." + std::to_string(layer) + ".";
    tiny.rename(at + "input_layernorm.weight", at + "pre_self_attn_layernorm.weight");
    tiny.rename(at + "post_attention_layernorm.weight", at + "post_self_attn_layernorm.weight");
  }
  nlohmann::json encoder = sizes;
  encoder.update(settings);
  tiny.write(t5gemma, {{"model_type", "t5gemma"}, {"encoder", encoder}, {"hidden_size", 99}}, "model.encoder.");
  const std::vector<int32_t> ids = test::some_ids(60);
  EXPECT_TRUE(test::same_bits(test::encode_one(t5gemma, ids), test::encode_one(gemma2, ids)));
}

TEST(T5GemmaFamily, RefusesAFileWithoutTheEncodersSettings) {
  EXPECT_THROW(parse_config(R"({"model_type": "t5gemma", "hidden_size": 24})", "config.json"), Error);
}

}  // namespace
}  // namespace bert
