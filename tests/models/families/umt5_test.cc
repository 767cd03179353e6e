#include <gtest/gtest.h>

#include "bert/model.h"
#include "models/config/family.h"
#include "tests/models/families/t5_model.h"
#include "tests/support/compare.h"

namespace bert {
namespace {

constexpr const char* kTable = ".layer.0.SelfAttention.relative_attention_bias.weight";

// Returns the hidden states of T5's weights with a copy of the first layer's table in each layer. change: is added to
// the last layer's table.
std::vector<float> umt5_states(const test::T5Model& model, const std::vector<int32_t>& ids, float change) {
  std::vector<test::TestTensor> tensors = model.tensors();
  const auto first = std::find_if(tensors.begin(), tensors.end(), [](const test::TestTensor& tensor) {
    return tensor.name == std::string("encoder.block.0") + kTable;
  });
  test::TestTensor table = *first;
  for (size_t layer = 1; layer < test::T5Model::kLayers; ++layer) {
    table.name = "encoder.block." + std::to_string(layer) + kTable;
    tensors.push_back(table);
  }
  std::vector<float> values(table.data.size() / sizeof(float));
  std::memcpy(values.data(), table.data.data(), table.data.size());
  values[0] += change;
  tensors.back().data = test::bytes_of(values);
  nlohmann::json config = model.config();
  config["model_type"] = "umt5";
  config["architectures"] = {"UMT5EncoderModel"};
  config.erase("feed_forward_proj");
  const test::TemporaryDirectory directory;
  directory.write("model.safetensors", test::image_of(tensors));
  directory.write("config.json", config.dump());
  const TokenSequence sequence{ids};
  return Model::load(directory.path().string(), {.threads = 1}).encode({&sequence, 1})[0].last_hidden_state;
}

TEST(Umt5Family, HasATableInEachLayer) {
  const test::T5Model model(8, {.hidden = 24, .heads = 3, .size = 7, .inner = 33, .gated = true});
  const std::vector<int32_t> ids = {5, 9, 1, 40, 3};
  const test::TemporaryDirectory t5;
  model.write(t5);
  const TokenSequence sequence{ids};
  const std::vector<float> expected = Model::load(t5.path().string()).encode({&sequence, 1})[0].last_hidden_state;
  EXPECT_TRUE(test::same_bits(umt5_states(model, ids, 0), expected));
  EXPECT_FALSE(test::same_bits(umt5_states(model, ids, 1), expected));
  EXPECT_EQ(find_family("umt5")->defaults.vocab_size, 250112u);
}

}  // namespace
}  // namespace bert
