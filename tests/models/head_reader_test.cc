// Which heads are read, and from where.
#include "models/head_reader.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tests/models/tiny_model_test.h"
#include "tests/support/compare.h"

namespace bert {
namespace {

using Ids = std::vector<int32_t>;

class HeadReaderTest : public test::TinyModelTest {};

void add_head(test::TinyTensors& tensors) {
  const auto ones = [&](const std::string& name, std::vector<size_t> shape, size_t count) {
    tensors["cls.predictions." + name] = {std::move(shape), std::vector<float>(count, 1)};
  };
  ones("bias", {40}, 40);
  ones("transform.dense.weight", {24, 24}, 24 * 24);
  ones("transform.dense.bias", {24}, 24);
  ones("transform.LayerNorm.weight", {24}, 24);
  ones("transform.LayerNorm.bias", {24}, 24);
}

std::vector<float> outputs(const Model& model) {
  const Ids ids = {2, 7, 3};
  const TokenSequence sequence{.ids = ids};
  return model.logits(Head::kMaskedLm, {&sequence, 1})[0].values;
}

// A stored copy of a tied decoder may be as large as all layers: a start does not wait for it.
TEST_F(HeadReaderTest, DoesNotReadATiedDecoderThatIsStoredToo) {
  const Model without = load({}, add_head);
  const std::vector<float> expected = outputs(without);
  const Model with = load({},
                          [&](test::TinyTensors& tensors) {
                            add_head(tensors);
                            tensors["cls.predictions.decoder.weight"] = {
                                {40, 24}, std::vector<float>(40 * 24, std::numeric_limits<float>::quiet_NaN())};
                          },
                          {.check_tensors = true});
  EXPECT_EQ(with.notices().size(), without.notices().size() + 1);
  EXPECT_EQ(with.notices().back(),
            "the tensor 'cls.predictions.decoder.weight' is not used: tie_word_embeddings puts the word embeddings in "
            "its place");
  EXPECT_TRUE(test::same_bits(outputs(with), expected));
}

// Values of the reference (transformers 5.23): the bias next to the weight, tied or not.
TEST_F(HeadReaderTest, UsesTheBiasNextToTheDecodersWeight) {
  std::vector<std::string> notices;
  const auto outputs_with = [&](bool apart, bool beside, float value) {
    const Model model = load({}, [=](test::TinyTensors& tensors) {
      add_head(tensors);
      tensors["cls.predictions.decoder.bias"] = {{40}, std::vector<float>(40, value)};
      if (!beside) tensors.erase("cls.predictions.decoder.bias");
      if (!apart) tensors.erase("cls.predictions.bias");
    });
    notices = model.notices();
    return outputs(model);
  };
  const std::vector<float> alone = outputs_with(false, true, 2);
  const std::vector<std::string> usual = notices;
  EXPECT_TRUE(test::same_bits(outputs_with(true, true, 2), alone));
  ASSERT_EQ(notices.size(), usual.size() + 1);
  EXPECT_EQ(notices.back(),
            "the tensors 'cls.predictions.decoder.bias' and 'cls.predictions.bias' differ: the first one is used");
  const std::vector<float> apart = outputs_with(true, false, 2);
  EXPECT_FALSE(test::same_bits(apart, alone));
  EXPECT_TRUE(test::same_bits(outputs_with(true, true, 1), apart));
  EXPECT_EQ(notices, usual);
}

}  // namespace
}  // namespace bert
