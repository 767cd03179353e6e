#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/models/family_check.h"
#include "tests/support/compare.h"

namespace bert {
namespace {

// ELECTRA has the same layers, and another name for the projection of the embeddings.
TEST(RemBertFamily, ProjectsItsEmbeddings) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/electra");
  test::check_same_model(folder, [](test::FamilyFiles& files) {
    files.rename("embeddings_project", "encoder.embedding_hidden_mapping_in");
    for (test::TestTensor& tensor : files.tensors) tensor.name = "rembert." + tensor.name;
    files.config["model_type"] = "rembert";
    files.config["architectures"] = {"RemBertModel"};
    files.config["input_embedding_size"] = files.config["embedding_size"];
    files.config.erase("embedding_size");
  });
}

// The width of the masked-token head differs from those of the embeddings and of the layers.
TEST(RemBertFamily, ReadsAHeadOfAnotherWidth) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/electra");
  test::FamilyFiles files = test::FamilyFiles::read(folder);
  files.rename("embeddings_project", "encoder.embedding_hidden_mapping_in");
  for (test::TestTensor& tensor : files.tensors) tensor.name = "rembert." + tensor.name;
  const size_t hidden = files.config["hidden_size"], words = files.config["vocab_size"], width = 7;
  files.config["model_type"] = "rembert";
  files.config["architectures"] = {"RemBertForMaskedLM"};
  files.config["input_embedding_size"] = files.config["embedding_size"];
  files.config["output_embedding_size"] = width;
  files.config["hidden_act"] = "linear";
  std::mt19937 random(1);
  std::uniform_real_distribution<float> numbers(-0.5f, 0.5f);
  const auto add = [&](const std::string& name, const std::vector<size_t>& shape) {
    std::vector<float> values(shape[0] * (shape.size() > 1 ? shape[1] : 1));
    for (float& value : values) value = numbers(random);
    files.tensors.push_back({"cls.predictions." + name, "F32", shape, test::bytes_of(values)});
    return values;
  };
  const std::vector<float> dense = add("dense.weight", {width, hidden}), dense_bias = add("dense.bias", {width}),
                           scale = add("LayerNorm.weight", {width}), shift = add("LayerNorm.bias", {width}),
                           output = add("decoder.weight", {words, width}), output_bias = add("decoder.bias", {words});
  const test::TemporaryDirectory directory;
  files.write(directory);
  const Model model = Model::load(directory.path().string());
  const std::vector<int32_t> ids = {2, 5, 8, 3};
  const TokenSequence one{ids};
  const std::vector<float> states = model.encode({&one, 1})[0].last_hidden_state;
  const std::vector<float> logits = model.logits(Head::kMaskedLm, {&one, 1})[0].values;
  ASSERT_EQ(logits.size(), ids.size() * words);
  std::vector<double> expected;
  for (size_t token = 0; token < ids.size(); ++token) {
    std::vector<double> row(width);
    double mean = 0, variance = 0;
    for (size_t i = 0; i < width; ++i) {
      row[i] = dense_bias[i];
      for (size_t j = 0; j < hidden; ++j) row[i] += double{dense[i * hidden + j]} * states[token * hidden + j];
      mean += row[i] / width;
    }
    for (const double value : row) variance += (value - mean) * (value - mean) / width;
    for (size_t word = 0; word < words; ++word) {
      double logit = output_bias[word];
      for (size_t i = 0; i < width; ++i) {
        logit += output[word * width + i] * ((row[i] - mean) / std::sqrt(variance + 1e-12) * scale[i] + shift[i]);
      }
      expected.push_back(logit);
    }
  }
  EXPECT_TRUE(test::within(1e-5, logits, expected));
}

}  // namespace
}  // namespace bert
