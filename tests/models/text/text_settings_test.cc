#include "models/text/text_settings.h"

#include <gtest/gtest.h>

#include "tests/support/temporary_directory.h"

namespace bert {
namespace {

TEST(TextSettings, HaveTheErrorOfAMissingTokenizer) {
  const test::TemporaryDirectory directory;
  const TextSettings settings = read_text_settings(load_tokenizer_if_any(directory.path(), {}),
                                                   DirectorySource(directory.path()), nullptr, std::nullopt);
  EXPECT_EQ(std::get<Error>(settings.tokenizer).code(), ErrorCode::kNotFound);
  EXPECT_NE(settings.notices.at(0).find("; only ids can be encoded, no texts"), std::string::npos);
}

TEST(TextSettings, MayLieInTheFolderThatModulesJsonNames) {
  const test::TemporaryDirectory directory;
  EXPECT_EQ(encoder_directory(directory.path()), directory.path());
  directory.write("modules.json", R"([{"type": "sentence_transformers.models.Transformer", "path": "0_Transformer"},
    {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"}])");
  std::filesystem::create_directory(directory.path() / "1_Pooling");
  directory.write("1_Pooling/config.json", R"({"word_embedding_dimension": 24, "pooling_mode_mean_tokens": true})");
  EXPECT_EQ(encoder_directory(directory.path()), directory.path() / "0_Transformer");
}

TEST(LengthLimit, PrefersTheSentenceSettingsThenTheTokenizerThenThePositions) {
  EXPECT_EQ(resolve_length_limit({256, 512, 512}).tokens, 256u);
  EXPECT_EQ(resolve_length_limit({512, 128, 512}).tokens, 512u);
  EXPECT_EQ(resolve_length_limit({std::nullopt, 128, 512}).tokens, 128u);
  EXPECT_EQ(resolve_length_limit({std::nullopt, std::nullopt, 512}).tokens, 512u);
  EXPECT_EQ(resolve_length_limit({256, std::nullopt, std::nullopt}).tokens, 256u);
  EXPECT_EQ(resolve_length_limit({}).tokens, std::nullopt);
  EXPECT_EQ(resolve_length_limit({256, 1024, 512}).notice, "");
}

TEST(LengthLimit, IsLoweredToThePositionTableWithANotice) {
  const LengthLimit limit = resolve_length_limit({1024, std::nullopt, 512});
  EXPECT_EQ(limit.tokens, 512u);
  EXPECT_EQ(limit.notice,
            "the model's files allow 1024 tokens, its position table has 512: the limit is lowered to that");
}

}  // namespace
}  // namespace bert
