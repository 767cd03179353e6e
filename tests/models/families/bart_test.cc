#include <gtest/gtest.h>

#include <cmath>

#include "tests/models/families/bart_files.h"
#include "tests/support/compare.h"

namespace bert {
namespace {

// BART has BERT's layers without segments. Its table of positions begins with two unused rows.
TEST(BartFamily, HasBertsLayers) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/bert-odd-1");
  test::FamilyFiles bert = test::FamilyFiles::read(folder);
  bert.config["layer_norm_eps"] = 1e-5;
  for (test::TestTensor& tensor : bert.tensors) {
    if (tensor.name.find("token_type_embeddings") != std::string::npos)
      std::fill(tensor.data.begin(), tensor.data.end(), '\0');
  }
  const test::TemporaryDirectory one, other;
  bert.write(one);
  test::as_bart(bert).write(other);
  const std::vector<int32_t> ids = {1, 7, 9, 7, 20, 3};
  EXPECT_TRUE(test::same_bits(test::states_of(other, ids), test::states_of(one, ids)));
}

// A scaled word vector equals that of a scaled table. The factor is the root of the hidden size.
TEST(BartFamily, ScalesWordsIfItsFileSaysSo) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/bert-odd-1");
  const test::FamilyFiles bart = test::as_bart(test::FamilyFiles::read(folder));
  test::FamilyFiles scaled = bart, multiplied = bart;
  scaled.config["scale_embedding"] = true;
  const auto factor = static_cast<float>(std::sqrt(bart.config["d_model"].get<double>()));
  for (test::TestTensor& tensor : multiplied.tensors) {
    if (tensor.name != "model.shared.weight") continue;
    std::vector<float> values = test::floats_of(tensor.data);
    for (float& value : values) value *= factor;
    tensor.data = test::bytes_of(values);
  }
  const test::TemporaryDirectory one, other, plain;
  scaled.write(one);
  multiplied.write(other);
  bart.write(plain);
  const std::vector<int32_t> ids = {1, 7, 9, 7, 20, 3};
  EXPECT_TRUE(test::same_bits(test::states_of(one, ids), test::states_of(other, ids)));
  EXPECT_FALSE(test::same_bits(test::states_of(one, ids), test::states_of(plain, ids)));
}

}  // namespace
}  // namespace bert
