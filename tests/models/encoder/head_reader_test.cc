// Tests which heads are read, and from which tensors.
#include "models/encoder/head_reader.h"

#include <gtest/gtest.h>

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

test::TinyTensor decoder(float value) { return {{40, 24}, std::vector<float>(40 * 24, value)}; }

// The expected values are those of transformers 5.24. The head consists of ones, so each output is 24 times the
// decoder's value plus the bias, up to the normalisation's epsilon.
TEST_F(HeadReaderTest, UsesAStoredDecoderThatDiffersFromTheTiedEmbeddings) {
  const Model tied = load({}, add_head);
  const std::vector<float> of_embeddings = outputs(tied);
  const Model stored = load({}, [](test::TinyTensors& tensors) {
    add_head(tensors);
    tensors["cls.predictions.decoder.weight"] = decoder(0.5f);
  });
  EXPECT_EQ(stored.notices().size(), tied.notices().size() + 1);
  EXPECT_EQ(stored.notices().back(),
            "the tensor 'cls.predictions.decoder.weight' differs from the word embeddings and is used, as in "
            "transformers 5; tie_word_embeddings of config.json put them in its place before");
  EXPECT_FALSE(test::same_bits(outputs(stored), of_embeddings));
  const std::vector<float> found = outputs(stored);
  for (const float value : found) EXPECT_EQ(value, found[0]) << "all rows of the decoder are equal";
}

TEST_F(HeadReaderTest, UsesACopyOfTheTiedEmbeddings) {
  const Model without = load({}, add_head);
  const std::vector<float> expected = outputs(without);
  const Model with = load({}, [](test::TinyTensors& tensors) {
    add_head(tensors);
    tensors["cls.predictions.decoder.weight"] = tensors["embeddings.word_embeddings.weight"];
  });
  EXPECT_EQ(with.notices(), without.notices());
  EXPECT_TRUE(test::same_bits(outputs(with), expected));
}

void add_classifier(test::TinyTensors& tensors) {
  tensors["classifier.weight"] = {{2, 24}, std::vector<float>(2 * 24, 1)};
  tensors["classifier.bias"] = {{2}, std::vector<float>(2, 1)};
}

// AutoModelForSequenceClassification and AutoModelForTokenClassification load such a file with any `architectures`.
TEST_F(HeadReaderTest, WithoutAClassEveryHeadOfTheRightSizeHasTheTensors) {
  test::write_tiny_model(directory_, {.architectures = {}}, add_classifier);
  const Model model = Model::load(directory_.path().string());
  EXPECT_EQ(model.heads(), (std::vector<Head>{Head::kSequenceClassification, Head::kTokenClassification}));
  EXPECT_EQ(model.notices()[2],
            "config.json names no class of model (architectures): the tensors of 'classifier' are read as a head for "
            "token classification");
}

// The expected values are those of transformers 5.23, which takes the bias next to the weight, tied or not.
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
  EXPECT_NE(test::error_of(ErrorCode::kNotFound, [&] { outputs_with(false, false, 2); })
                .find("tensor 'cls.predictions.decoder.bias' or 'cls.predictions.bias' in "),
            std::string::npos);
  const std::vector<float> apart = outputs_with(true, false, 2);
  EXPECT_FALSE(test::same_bits(apart, alone));
  EXPECT_TRUE(test::same_bits(outputs_with(true, true, 1), apart));
  EXPECT_EQ(notices, usual);
}

}  // namespace
}  // namespace bert
