#include "tokenizer/family.h"

#include <gtest/gtest.h>

namespace bert {
namespace {

constexpr TokenizerFamily kWords = {.usual = true, .processing = "WordProcessing"};
constexpr TokenizerFamily kBytes = {.files = TokenizerFiles::kByteLevelBpe};
constexpr std::string_view kUnsupported[] = {"Other"};

TEST(TokenizerFamilyList, FindsByEveryName) {
  const TokenizerFamilies families({{"words", "Word", &kWords}, {"bytes", "Byte", &kBytes}}, kUnsupported);
  EXPECT_EQ(families.of_class("WordTokenizer"), &kWords);
  EXPECT_EQ(families.of_class("ByteTokenizerFast"), &kBytes);
  for (const char* none : {"Word", "WordTokenizers", "XWordTokenizer", "Fast", ""}) {
    EXPECT_EQ(families.of_class(none), nullptr) << none;
  }
  EXPECT_EQ(families.of_model("bytes"), &kBytes);
  EXPECT_EQ(families.of_model("Byte"), nullptr);
  EXPECT_EQ(families.of_processing("WordProcessing"), &kWords);
  EXPECT_EQ(families.of_processing(""), nullptr);
  EXPECT_EQ(families.usual(TokenizerFiles::kWordPiece), &kWords);
  EXPECT_EQ(families.usual(TokenizerFiles::kByteLevelBpe), nullptr);
  EXPECT_TRUE(families.is_unsupported_class("OtherTokenizerFast"));
  EXPECT_FALSE(families.is_unsupported_class("WordTokenizer"));
}

}  // namespace
}  // namespace bert
