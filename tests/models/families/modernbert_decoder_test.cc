#include <gtest/gtest.h>

#include "bert/error.h"
#include "models/config/config.h"
#include "tests/models/family_check.h"
#include "tests/support/compare.h"

namespace bert {
namespace {

test::FamilyFiles as_decoder(const std::filesystem::path& folder) {
  test::FamilyFiles files = test::FamilyFiles::read(folder);
  files.split("attn.Wqkv", {"attn.q_proj", "attn.k_proj", "attn.v_proj"});
  files.config["model_type"] = "modernbert-decoder";
  files.config["architectures"] = {"ModernBertDecoderModel"};
  return files;
}

// With bidirectional attention the model equals ModernBERT, which stores queries, keys and values as one tensor.
TEST(ModernBertDecoderFamily, HasModernBertsLayers) {
  for (const char* name : {"family_modern/modernbert", "family_modern/modernbert-biases"}) {
    BERT_TEST_DATA_OR_SKIP(folder, name);
    test::check_same_model(folder, [&](test::FamilyFiles& files) {
      files = as_decoder(folder);
      files.config["is_causal"] = false;
    });
  }
}

TEST(ModernBertDecoderFamily, IsCausal) {
  BERT_TEST_DATA_OR_SKIP(folder, "family_modern/modernbert");
  const test::TemporaryDirectory directory;
  as_decoder(folder).write(directory);
  const Model model = Model::load(directory.path().string());
  const std::vector<int32_t> whole = {1, 7, 30, 9, 22, 8, 15}, beginning(whole.begin(), whole.begin() + 4);
  const auto states = [&](const std::vector<int32_t>& ids) {
    const TokenSequence one{ids};
    return model.encode({&one, 1})[0].last_hidden_state;
  };
  const std::vector<float> first = states(beginning), all = states(whole);
  EXPECT_TRUE(test::same_bits(first, {all.data(), first.size()}));
}

// The window is half of local_attention and includes the token itself.
TEST(ModernBertDecoderFamily, SeesHalfOfTheWindow) {
  const auto distance = [](const std::string& settings) {
    return parse_config(R"({"model_type": "modernbert-decoder")" + settings + "}", "config.json").local_distance;
  };
  EXPECT_EQ(distance(""), 63u);
  EXPECT_EQ(distance(R"(, "local_attention": 9)"), 3u);
  EXPECT_EQ(distance(R"(, "local_attention": 9, "sliding_window": 5)"), 4u);
  EXPECT_EQ(distance(R"(, "local_attention": 9, "is_causal": false)"), 4u);
  EXPECT_THROW(distance(R"(, "sliding_window": -1)"), Error);
}

}  // namespace
}  // namespace bert
