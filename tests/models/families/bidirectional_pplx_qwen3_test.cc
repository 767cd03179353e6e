#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "bert/model.h"
#include "tests/models/own_heads_model.h"
#include "tests/support/compare.h"

namespace bert {
namespace {

using test::OwnHeadsModel;

// The vector is the mean of the tokens, then round(127 tanh(x)).
TEST(PplxQwen3Family, QuantizesTheMeanOfTokensThatSeeEachOther) {
  const test::TemporaryDirectory directory;
  const OwnHeadsModel tiny(OwnHeadsModel::Shape::kQwen3);
  tiny.write(directory, {{"model_type", "bidirectional_pplx_qwen3"}, {"architectures", {"PPLXQwen3Model"}}});
  const std::vector<double> hidden = tiny.encode({2, 3, 4, 1}, {.is_causal = false});
  std::vector<double> mean(OwnHeadsModel::kHidden);
  for (size_t i = 0; i < hidden.size(); ++i) mean[i % OwnHeadsModel::kHidden] += hidden[i] / 4;
  const std::vector<std::string_view> texts = {"C D E"};
  EXPECT_TRUE(test::within(1e-5, Model::load(directory.path().string()).embed(texts).vectors, mean));

  directory.write("modules.json", R"([
      {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
      {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
      {"idx": 2, "name": "2", "path": "", "type": "st_quantize.FlexibleQuantizer", "kwargs": ["quantization"]}])");
  directory.write("1_Pooling/config.json", R"({"word_embedding_dimension": 12, "pooling_mode_mean_tokens": true})");
  std::vector<float> expected;
  for (const double value : mean) expected.push_back(static_cast<float>(std::nearbyint(127 * std::tanh(value))));
  const Model model = Model::load(directory.path().string());
  EXPECT_EQ(model.embed(texts).vectors, expected);
  EXPECT_EQ(model.pooling().modules.back(), "Quantizer, round(127 tanh(x))");
}

}  // namespace
}  // namespace bert
