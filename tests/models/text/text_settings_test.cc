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

}  // namespace
}  // namespace bert
