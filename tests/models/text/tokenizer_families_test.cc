#include "models/text/tokenizer_families.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "models/config/family.h"

namespace bert {
namespace {

TEST(TokenizerFamilies, FindsAFamilyByWhatFilesName) {
  const TokenizerFamilies known = tokenizer_families();
  const Family* const bert = find_family("bert");
  EXPECT_EQ(known.of_class("BertTokenizer"), &bert->tokenizer);
  EXPECT_EQ(known.of_class("BertTokenizerFast"), &bert->tokenizer);
  EXPECT_EQ(known.of_model("bert"), &bert->tokenizer);
  for (const char* other : {"Bert", "PreTrainedTokenizerFast", ""}) EXPECT_EQ(known.of_class(other), nullptr);
  EXPECT_EQ(known.of_model("gpt2"), nullptr);
  EXPECT_TRUE(known.is_unsupported_class("RemBertTokenizerFast"));
  EXPECT_EQ(known.of_processing("TemplateProcessing"), nullptr);
  EXPECT_EQ(known.of_processing(""), nullptr);
  std::set<std::string_view> prefixes;
  for (const Family* family : families()) {
    EXPECT_TRUE(prefixes.insert(family->class_prefix).second) << family->class_prefix;
    // The tokenizer classes of two families are refused. Their models accept ids, or use another tokenizer.
    const bool is_refused = family->model_type == "rembert" || family->model_type == "roformer";
    EXPECT_EQ(known.is_unsupported_class(std::string(family->class_prefix) + "Tokenizer"), is_refused)
        << family->model_type;
    const TokenizerFamily& own = family->tokenizer;
    EXPECT_FALSE(own.unknown.empty() || own.padding.empty()) << family->model_type;
    // T5's tokenizers have no separator, classifier or mask token.
    EXPECT_EQ(own.separator.empty(), own.classifier.empty()) << family->model_type;
    EXPECT_EQ(own.separator.empty(), own.mask.empty()) << family->model_type;
  }
}

// If a family's data is copied from another, it must not be `usual` too.
TEST(TokenizerFamilies, IsTheOnlyUsualOneOfItsTokenizersFiles) {
  const TokenizerFamilies known = tokenizer_families();
  std::map<TokenizerFiles, std::string_view> usual;
  std::map<std::string_view, TemplateKind> templates;
  for (const Family* family : families()) {
    const TokenizerFamily& own = family->tokenizer;
    if (own.usual) {
      const auto [there, is_new] = usual.emplace(own.files, family->model_type);
      EXPECT_TRUE(is_new) << there->second << " and " << family->model_type;
      EXPECT_EQ(known.usual(own.files), &own);
    }
    if (own.processing.empty()) continue;
    EXPECT_EQ(templates.emplace(own.processing, own.template_kind).first->second, own.template_kind)
        << family->model_type;
  }
  EXPECT_EQ(usual[TokenizerFiles::kWordPiece], "bert");
  EXPECT_EQ(usual.count(TokenizerFiles::kByteLevelBpe), 1u);
  EXPECT_EQ(known.usual(TokenizerFiles::kSentencePiece), nullptr);  // these files' ids are counted in different ways
}

}  // namespace
}  // namespace bert
