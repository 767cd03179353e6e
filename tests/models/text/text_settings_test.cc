#include "models/text/text_settings.h"

#include <gtest/gtest.h>

#include "tests/support/tiny_model.h"

namespace bert {
namespace {

class TextSettingsTest : public ::testing::Test {
 protected:
  TextSettingsTest() { directory_.write("vocab.txt", test::tiny_vocabulary(18)); }
  LoadedTokenizer load() const { return load_tokenizer(directory_.path().string()); }
  test::TemporaryDirectory directory_;
};

TEST_F(TextSettingsTest, NeedTheTokenizersFilesOnly) {
  const LoadedTokenizer loaded = load();
  EXPECT_EQ(loaded.tokenizer.tokenize("the fox").ids, (std::vector<int32_t>{2, 5, 8, 3}));  // by hand
  EXPECT_EQ(loaded.max_length, std::nullopt);
  EXPECT_EQ(loaded.max_positions, std::nullopt);
}

TEST_F(TextSettingsTest, AreCutAtTheLimitThatTheFilesSay) {
  directory_.write("config.json", R"({"model_type": "bert", "max_position_embeddings": 64})");
  EXPECT_EQ(load().max_positions, 64u);
  directory_.write("tokenizer_config.json", R"({"model_max_length": 32})");
  EXPECT_EQ(load().max_length, 32u);
  directory_.write("modules.json", R"([{"type": "sentence_transformers.models.Transformer", "path": ""},
    {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"}])");
  directory_.write("1_Pooling/config.json", "{}");
  directory_.write("sentence_bert_config.json", R"({"max_seq_length": 16})");
  EXPECT_EQ(load().max_length, 16u);
  directory_.write("sentence_bert_config.json", R"({"max_seq_length": 100})");
  const LoadedTokenizer lowered = load();
  EXPECT_EQ(lowered.max_length, 64u);
  EXPECT_NE(lowered.notices.back().find("100"), std::string::npos) << lowered.notices.back();
}

TEST_F(TextSettingsTest, MayLieInTheFolderThatModulesJsonNames) {
  EXPECT_EQ(encoder_directory(directory_.path()), directory_.path());
  directory_.write("modules.json", R"([{"type": "sentence_transformers.models.Transformer", "path": "0_Transformer"},
    {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"}])");
  std::filesystem::create_directory(directory_.path() / "1_Pooling");
  directory_.write("1_Pooling/config.json", R"({"word_embedding_dimension": 24, "pooling_mode_mean_tokens": true})");
  EXPECT_EQ(encoder_directory(directory_.path()), directory_.path() / "0_Transformer");
}

TEST(BuiltinTextSettings, AreThoseOfTheBuiltinModel) {
  const LoadedTokenizer loaded = builtin_tokenizer();
  const Model model = Model::builtin({.threads = 1});
  EXPECT_EQ(loaded.max_length.value_or(0), model.max_length());
  EXPECT_EQ(loaded.max_positions, model.max_positions());
  EXPECT_EQ(loaded.tokenizer.tokenize("A man plays a guitar.").ids,
            model.tokenizer().tokenize("A man plays a guitar.").ids);
}

}  // namespace
}  // namespace bert
