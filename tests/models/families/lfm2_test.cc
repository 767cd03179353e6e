#include "tests/models/families/lfm2_files.h"

#include "tests/models/families/own_heads_check.h"
#include "tests/support/expect_error.h"

namespace bert {
namespace {

TEST(Lfm2Family, ComputesItsLayers) {
  const test::OwnHeadsModel tiny(test::OwnHeadsModel::Shape::kLfm2);
  const test::TemporaryDirectory directory;
  test::write_lfm2(tiny, directory);
  const std::vector<int32_t> ids = test::some_ids(70);
  const std::vector<double> expected = tiny.encode(ids, {});
  for (const char* isa : test::kKernelIsas) {
    if (!test::cpu_has(isa)) continue;
    const test::WithVariable variable("BERT_INFER_ISA", isa);
    EXPECT_TRUE(test::within(3e-5, test::encode_one(directory, ids), expected)) << isa;
  }
}

// A layer with a convolution has no attention and no heads.
TEST(Lfm2Family, RefusesToShowAttention) {
  const test::TemporaryDirectory directory;
  test::write_lfm2(test::OwnHeadsModel(test::OwnHeadsModel::Shape::kLfm2), directory);
  const Model model = Model::load(directory.path().string());
  const std::vector<int32_t> ids = {3, 4, 5};
  const TokenSequence one{ids};
  const std::string error = test::error_of(ErrorCode::kUnsupported, [&] {
    model.encode({&one, 1}, {.attentions = true});
  });
  EXPECT_NE(error.find("attention weights are not supported for a model of type lfm2"), std::string::npos) << error;
}

ModelConfig lfm2(const std::string& settings) {
  return parse_config(R"({"model_type": "lfm2", "num_hidden_layers": 3, "num_key_value_heads": 8)" + settings + "}",
                      "config.json");
}

TEST(Lfm2Family, ReadsTheFieldsOfItsConfiguration) {
  EXPECT_EQ(lfm2(R"(, "full_attn_idxs": [2])").short_convolution->layers, (std::vector<bool>{true, true, false}));
  EXPECT_EQ(lfm2("").short_convolution->layers, (std::vector<bool>(3)));
  EXPECT_EQ(lfm2("").intermediate_size, 8192u);
  EXPECT_EQ(lfm2(R"(, "block_ff_dim": 6656)").intermediate_size, 4608u);  // 4437 rounded up to a multiple of 256
  EXPECT_EQ(lfm2(R"(, "block_ff_dim": 100, "block_multiple_of": 8, "block_ffn_dim_multiplier": 1.3)").intermediate_size,
            88u);  // 2/3 is 66; times 1.3 is 85; rounded up is 88
  for (const char* setting : {R"(, "conv_bias": true)", R"(, "layer_types": ["conv"])", R"(, "full_attn_idxs": 3)",
                              R"(, "layer_types": ["conv", "conv", "sliding_attention"])"}) {
    EXPECT_THROW(lfm2(setting), Error) << setting;
  }
}

}  // namespace
}  // namespace bert
