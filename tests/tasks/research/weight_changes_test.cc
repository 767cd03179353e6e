// Tests compare_weights on two small models that differ in known weights.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bert/experiments.h"
#include "bert/quantize.h"
#include "tests/models/tiny_model_test.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

using test::TinyTensors;

class WeightChangesTest : public test::TinyModelTest {
 protected:
  // Compares the weights of the tiny model with those after `edit`.
  WeightChanges changes(const std::function<void(TinyTensors&)>& edit) {
    const Model base = load();
    test::write_tiny_model(other_, {}, edit);
    return compare_weights(base, Model::load(other_.path().string(), {.threads = 2}));
  }
  test::TemporaryDirectory other_;
};

std::vector<std::string> changed(const WeightChanges& changes) {
  std::vector<std::string> names;
  for (const TensorChange& tensor : changes.tensors) {
    EXPECT_EQ(tensor.change > 0, tensor.changed_rows > 0) << tensor.name;
    EXPECT_EQ(tensor.largest > 0, tensor.changed_rows > 0) << tensor.name;
    if (tensor.changed_rows > 0) names.push_back(tensor.name);
  }
  return names;
}

const TensorChange& tensor_of(const WeightChanges& changes, const std::string& name) {
  return *std::find_if(changes.tensors.begin(), changes.tensors.end(),
                       [&](const TensorChange& tensor) { return tensor.name == name; });
}

TEST_F(WeightChangesTest, AreNoneBetweenAModelAndItself) {
  const WeightChanges found = changes({});
  EXPECT_TRUE(changed(found).empty());
  EXPECT_EQ(found.tensors.size(), 5u + 2 * 16 + 2);  // of the embeddings, two layers, and the pooler
  EXPECT_EQ(found.words, std::vector<double>(40));
  EXPECT_EQ(found.positions, std::vector<double>(24));
}

// All weights of a tensor are halved, so it changes by half of its norm.
TEST_F(WeightChangesTest, NameTheOneTensorThatDiffers) {
  const std::string name = "encoder.layer.1.attention.self.query.weight";
  float largest = 0;
  const WeightChanges found = changes([&](TinyTensors& tensors) {
    for (float& value : tensors[name].values) {
      largest = std::max(largest, std::abs(value / 2));
      value /= 2;
    }
  });
  EXPECT_EQ(changed(found), std::vector<std::string>{name});
  const TensorChange& tensor = tensor_of(found, name);
  EXPECT_NEAR(tensor.change, 0.5, 1e-7);
  EXPECT_EQ(tensor.largest, largest);
  EXPECT_EQ(tensor.shape, (std::vector<size_t>{24, 24}));
  EXPECT_EQ(tensor.changed_rows, 24u);
  for (const PartChange& part : found.parts) EXPECT_EQ(part.change > 0, part.name == "encoder.layer.1") << part.name;
  EXPECT_EQ(found.parts.size(), 4u);
}

TEST_F(WeightChangesTest, NameTheOneRowThatDiffers) {
  const WeightChanges positions = changes([](TinyTensors& tensors) {
    std::vector<float>& values = tensors["embeddings.position_embeddings.weight"].values;
    for (size_t i = 7 * 24; i < 8 * 24; ++i) values[i] *= 3;
  });
  EXPECT_EQ(changed(positions), std::vector<std::string>{"embeddings.position_embeddings.weight"});
  EXPECT_EQ(tensor_of(positions, "embeddings.position_embeddings.weight").changed_rows, 1u);
  EXPECT_EQ(tensor_of(positions, "embeddings.position_embeddings.weight").first_row, 7u);
  for (size_t i = 0; i < 24; ++i) EXPECT_NEAR(positions.positions[i], i == 7 ? 2 : 0, 1e-6) << i;
  EXPECT_EQ(positions.words, std::vector<double>(40));

  // One weight of one word changes.
  const WeightChanges words =
      changes([](TinyTensors& tensors) { tensors["embeddings.word_embeddings.weight"].values[12 * 24 + 5] += 0.25f; });
  EXPECT_EQ(changed(words), std::vector<std::string>{"embeddings.word_embeddings.weight"});
  for (size_t i = 0; i < 40; ++i) EXPECT_EQ(words.words[i] > 0, i == 12) << i;
}

TEST_F(WeightChangesTest, AreOneWhereTheBaseIsZero) {
  const Model base = load({}, [](TinyTensors& tensors) {
    std::fill(tensors["pooler.dense.bias"].values.begin(), tensors["pooler.dense.bias"].values.end(), 0.0f);
  });
  test::write_tiny_model(other_);
  const WeightChanges found = compare_weights(base, Model::load(other_.path().string(), {.threads = 2}));
  EXPECT_EQ(changed(found), std::vector<std::string>{"pooler.dense.bias"});
  EXPECT_EQ(tensor_of(found, "pooler.dense.bias").change, 1);
}

TEST_F(WeightChangesTest, ListTheTensorsOfOneModelAlone) {
  const Model base = load();
  test::write_tiny_model(other_, {.vocab = 41, .architectures = {"BertForSequenceClassification"}},
                         [](TinyTensors& tensors) {
                           tensors.erase("pooler.dense.bias");
                           tensors.erase("pooler.dense.weight");
                           TinyTensors prefixed;
                           for (auto& [name, tensor] : tensors) prefixed["bert." + name] = tensor;
                           tensors = prefixed;
                         });
  const WeightChanges found = compare_weights(Model::load(other_.path().string(), {.threads = 2}), base);
  EXPECT_EQ(found.only_in_base, std::vector<std::string>{});
  EXPECT_EQ(found.only_in_tuned, (std::vector<std::string>{"pooler.dense.bias", "pooler.dense.weight"}));
  EXPECT_EQ(found.other_shape, std::vector<std::string>{"embeddings.word_embeddings.weight"});
  EXPECT_TRUE(found.words.empty());
  EXPECT_EQ(found.positions.size(), 24u);
}

// The weights have the names of other versions, or are rounded to 16 bits, which changes them by half a unit of 8 or 11
// bits.
TEST_F(WeightChangesTest, CompareTheSameTensorsOfOtherNamesAndTypes) {
  BERT_TEST_DATA_OR_SKIP(folder, "family");
  const Model base = Model::load((folder / "bert-odd-1").string());
  const WeightChanges renamed = compare_weights(base, Model::load((folder / "bert-odd-1-old-names").string()));
  EXPECT_TRUE(changed(renamed).empty());
  EXPECT_TRUE(renamed.only_in_base.empty());
  for (const auto& [name, unit] : {std::pair{"bert-odd-1-f16", 0x1p-11}, {"bert-odd-1-bf16", 0x1p-8}}) {
    const WeightChanges rounded = compare_weights(base, Model::load((folder / name).string()));
    EXPECT_FALSE(changed(rounded).empty()) << name;
    for (const TensorChange& tensor : rounded.tensors) EXPECT_LE(tensor.change, unit) << name << tensor.name;
  }
}

TEST_F(WeightChangesTest, RefuseIntegers) {
  const Model base = load();
  const std::string quantized = (other_.path() / "int8").string();
  quantize(directory_.path().string(), quantized, SmallWeights::kInt8);
  const std::string error =
      test::error_of(ErrorCode::kUnsupported, [&] { compare_weights(base, Model::load(quantized)); });
  EXPECT_NE(error.find("type I8, expected floating-point numbers to compare"), std::string::npos) << error;
}

}  // namespace
}  // namespace bert
