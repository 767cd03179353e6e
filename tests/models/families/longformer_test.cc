#include <gtest/gtest.h>

#include "bert/error.h"
#include "models/config/config.h"
#include "tests/models/families/longformer_files.h"
#include "tests/support/compare.h"

namespace bert {
namespace {

// If the windows reach all tokens, the model equals RoBERTa, with and without global tokens.
TEST(LongformerFamily, IsRobertaWithWideWindows) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/roberta");
  for (const char* class_name : {"LongformerModel", "LongformerForSequenceClassification"}) {
    test::check_same_model(folder,
                           [&](test::FamilyFiles& files) { files = test::as_longformer(folder, class_name, 512); });
  }
}

// Expects attention between tokens at most 2 apart, and from and to each of the first `globals` tokens.
void expect_sight(const char* class_name, const std::vector<int32_t>& ids, size_t globals) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/roberta");
  const test::TemporaryDirectory directory;
  test::as_longformer(folder, class_name, 4).write(directory);
  const Model model = Model::load(directory.path().string());
  const TokenSequence one{ids};
  const EncodedSequence encoded = model.encode({&one, 1}, {.attentions = true})[0];
  const size_t length = ids.size();
  for (size_t at = 0; at < encoded.attentions.size(); ++at) {
    const size_t query = at / length % length, key = at % length;
    const size_t distance = query > key ? query - key : key - query;
    EXPECT_EQ(encoded.attentions[at] > 0, query < globals || key < globals || distance <= 2) << query << ", " << key;
  }
}

TEST(LongformerFamily, HasTheGlobalTokensOfItsClass) {
  const std::vector<int32_t> ids = {0, 9, 8, 2, 2, 17, 21, 6, 5, 13, 2};
  expect_sight("LongformerModel", ids, 0);
  expect_sight("LongformerForTokenClassification", ids, 0);
  expect_sight("LongformerForSequenceClassification", ids, 1);
  expect_sight("LongformerForQuestionAnswering", ids, 3);
  expect_sight("LongformerForQuestionAnswering", {0, 9, 8, 17, 21, 6}, 0);
}

// With packed weights, passes go through the layers in blocks.
TEST(LongformerFamily, HasTheSameBitsAloneAndInBatches) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/roberta");
  const test::TemporaryDirectory directory;
  test::as_longformer(folder, "LongformerForQuestionAnswering", 4).write(directory);
  const std::vector<int32_t> first = {0, 9, 8, 2, 2, 17, 21, 6, 5, 13, 2}, second = {0, 2, 2, 5, 2},
                             third = {0, 7, 7, 7, 7, 2, 2, 11, 2};
  const std::vector<TokenSequence> texts = {{first}, {second}, {third}};
  const Model model = Model::load(directory.path().string(), {.threads = 2});
  const Model packed = Model::load(directory.path().string(), {.threads = 1, .packing = Packing::kAlways});
  const auto together = model.encode(texts), blocks = packed.encode(texts);
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto alone = model.encode({&texts[i], 1})[0].last_hidden_state;
    EXPECT_TRUE(test::same_bits(alone, together[i].last_hidden_state)) << i;
    EXPECT_TRUE(test::same_bits(alone, blocks[i].last_hidden_state)) << i;
  }
}

ModelConfig longformer(const std::string& settings) {
  return parse_config(R"({"model_type": "longformer", "num_hidden_layers": 2, )" + settings + "}", "config.json");
}

TEST(LongformerFamily, ReadsTheWindowsOfItsLayers) {
  EXPECT_EQ(longformer(R"("attention_window": [8, 16])").layer_distances, (std::vector<size_t>{4, 8}));
  EXPECT_EQ(longformer(R"("attention_window": 6)").layer_distances, (std::vector<size_t>{3, 3}));
  EXPECT_EQ(longformer(R"("vocab_size": 99)").local_distance, 256u);
  for (const char* setting : {R"("attention_window": [8])", R"("attention_window": [8, 7])", R"("attention_window": 0)",
                              R"("architectures": ["LongformerForMultipleChoice"])"}) {
    EXPECT_THROW(longformer(setting), Error) << setting;
  }
}

}  // namespace
}  // namespace bert
