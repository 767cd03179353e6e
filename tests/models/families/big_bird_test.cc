#include <gtest/gtest.h>

#include "bert/error.h"
#include "models/config/config.h"
#include "tests/models/family_check.h"
#include "tests/support/expect_error.h"

namespace bert {
namespace {

TEST(BigBirdFamily, IsBertWithFullAttention) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/bert-odd-1");
  test::check_same_model(folder, [](test::FamilyFiles& files) {
    files.rename("pooler.dense", "pooler");
    files.config["model_type"] = "big_bird";
    files.config["architectures"] = {"BigBirdModel"};
    files.config["attention_type"] = "original_full";
  });
}

// The reference uses full attention for up to (5 + 2 · random blocks) blocks.
TEST(BigBirdFamily, RefusesTextsOfSparseBlocksByTheirLength) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/bert-odd-1");
  test::FamilyFiles files = test::FamilyFiles::read(folder);
  files.rename("pooler.dense", "pooler");
  files.config["model_type"] = "big_bird";
  files.config["block_size"] = 1;
  files.config["num_random_blocks"] = 1;
  const test::TemporaryDirectory directory;
  files.write(directory);
  const Model model = Model::load(directory.path().string());
  std::vector<int32_t> ids(7, 5);
  const auto encode = [&] {
    const TokenSequence one{ids};
    model.encode({&one, 1});
  };
  EXPECT_NO_THROW(encode());
  ids.push_back(5);
  const std::string error = test::error_of(ErrorCode::kUnsupported, encode);
  EXPECT_NE(error.find("8 tokens are not supported, expected at most 7: attention_type block_sparse"),
            std::string::npos)
      << error;
}

TEST(BigBirdFamily, ReadsTheFieldsOfItsConfiguration) {
  const ModelConfig config = parse_config(R"({"model_type": "big_bird", "use_bias": false})", "config.json");
  EXPECT_EQ(config.longest_full_attention, 704u);
  EXPECT_FALSE(config.attention_bias);
  EXPECT_THROW(parse_config(R"({"model_type": "big_bird", "attention_type": "simulated"})", "config.json"), Error);
}

}  // namespace
}  // namespace bert
