#include "tokenizer/families.h"

#include <gtest/gtest.h>

#include <set>

namespace bert {
namespace {

TEST(Families, AreFoundByBothNamesOfTheirClass) {
  const TokenizerFamily* const bert = family_of_class("BertTokenizer");
  ASSERT_NE(bert, nullptr);
  EXPECT_EQ(family_of_class("BertTokenizerFast"), bert);
  EXPECT_EQ(family_of_model("bert"), bert);
  EXPECT_EQ(default_family(TokenizerFiles::kWordPiece), bert);
  EXPECT_EQ(family_of_class("Bert"), nullptr);
  EXPECT_EQ(family_of_class("PreTrainedTokenizerFast"), nullptr);
  EXPECT_EQ(family_of_model("gpt2"), nullptr);
  EXPECT_EQ(default_family(TokenizerFiles::kSentencePiece), nullptr);
}

TEST(Families, HaveNamesOfTheirOwn) {
  std::set<std::string_view> classes, models;
  for (const TokenizerFamily& family : tokenizer_families()) {
    EXPECT_TRUE(classes.insert(family.class_name).second) << family.class_name;
    EXPECT_TRUE(models.insert(family.model_type).second) << family.model_type;
    EXPECT_FALSE(family.unknown.empty() || family.separator.empty() || family.padding.empty() ||
                 family.classifier.empty() || family.mask.empty());
  }
}

TEST(Families, NameTheComponentAsItsFilesDo) { EXPECT_EQ(kDoubleSeparatorProcessing, "RobertaProcessing"); }

}  // namespace
}  // namespace bert
