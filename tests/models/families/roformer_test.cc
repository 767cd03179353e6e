#include <gtest/gtest.h>

#include <cstring>

#include "tests/models/config_of.h"
#include "tests/models/family_check.h"
#include "tests/support/compare.h"
#include "tests/support/expect_error.h"

namespace bert {
namespace {

// Returns the rows of queries or keys in another order: the rows i and i + half of each head become the neighbours 2 i
// and 2 i + 1.
std::string in_pairs(const std::string& rows, size_t heads, size_t head_dim) {
  std::string result(rows.size(), '\0');
  const size_t bytes = rows.size() / (heads * head_dim);
  for (size_t head = 0; head < heads; ++head) {
    for (size_t i = 0; i < head_dim; ++i) {
      const size_t from = head * head_dim + i % 2 * (head_dim / 2) + i / 2, to = head * head_dim + i;
      std::memcpy(result.data() + to * bytes, rows.data() + from * bytes, bytes);
    }
  }
  return result;
}

// Jina v3 has the same layer, but rotates the components i and i + half of a head together.
TEST(RoFormerFamily, RotatesNeighbours) {
  BERT_TEST_DATA_OR_SKIP(folder, "family_modern/jina-v3");
  test::FamilyFiles halves = test::FamilyFiles::read(folder);
  halves.config["rope_parameters"]["rope_theta"] = 10000;
  test::FamilyFiles files = halves;
  const size_t heads = files.config["num_attention_heads"], hidden = files.config["hidden_size"];
  files.split("mixer.Wqkv", {"attention.self.query", "attention.self.key", "attention.self.value"});
  files.rename("encoder.layers.", "encoder.layer.");
  files.rename("mixer.out_proj", "attention.output.dense");
  files.rename("norm1", "attention.output.LayerNorm");
  files.rename("norm2", "output.LayerNorm");
  files.rename("mlp.fc1", "intermediate.dense");
  files.rename("mlp.fc2", "output.dense");
  files.rename("emb_ln", "embeddings.LayerNorm");
  std::erase_if(files.tensors, [](const test::TestTensor& tensor) { return tensor.name.starts_with("pooler"); });
  for (test::TestTensor& tensor : files.tensors) {
    const bool is_rotated =
        tensor.name.find("self.query") != std::string::npos || tensor.name.find("self.key") != std::string::npos;
    if (is_rotated) tensor.data = in_pairs(tensor.data, heads, hidden / heads);
    tensor.name = "roformer." + tensor.name;
  }
  files.config["model_type"] = "roformer";
  files.config["architectures"] = {"RoFormerModel"};
  files.config.erase("rope_parameters");
  const test::TemporaryDirectory one, other;
  halves.write(one);
  files.write(other);
  const std::vector<int32_t> ids = {0, 17, 99, 5, 64, 33, 2};
  const TokenSequence sequence{ids};
  EXPECT_TRUE(test::within(1e-5, Model::load(other.path().string()).encode({&sequence, 1})[0].last_hidden_state,
                           Model::load(one.path().string()).encode({&sequence, 1})[0].last_hidden_state));
}

TEST(RoFormerFamily, RefusesRotatedValues) {
  EXPECT_EQ(test::error_of(ErrorCode::kUnsupported,
                           [] { test::config_of(R"("model_type": "roformer", "rotary_value": true)"); }),
            "'config.json': rotary_value true is not supported, expected false");
}

}  // namespace
}  // namespace bert
