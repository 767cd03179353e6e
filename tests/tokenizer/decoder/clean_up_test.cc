#include "tokenizer/decoder/clean_up.h"

#include <gtest/gtest.h>

#include "bert/tokenizer.h"

namespace bert {
namespace {

TEST(CleanUp, RemovesSpacesBeforePunctuationAndInContractions) {
  for (const CleanUp rules : {CleanUp::kTransformers, CleanUp::kTokenizers}) {
    EXPECT_EQ(clean_up_spaces("it ' s a dog , is n't it ? no , we 've seen", rules),
              "it's a dog, isn't it? no, we've seen");
  }
}

TEST(CleanUp, ShortensDoNotByTokenizersRules) {
  EXPECT_EQ(clean_up_spaces("we do not .", CleanUp::kTransformers), "we do not.");
  EXPECT_EQ(clean_up_spaces("we do not .", CleanUp::kTokenizers), "we don't.");
}

// By transformers 5.23: the WordPiece decoder treats each token alone, the clean-up the whole text.
TEST(CleanUp, IsDoneWhereTokenizerConfigSaysSo) {
  const std::string vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\nfox\n'\ns\n,\ni\nve\n!\n";
  const auto decoded = [&](const std::string& config) {
    const Tokenizer tokenizer = Tokenizer::from_vocabulary(vocabulary, config);
    return tokenizer.decode(tokenizer.tokenize("the fox 's , i 've !").ids, true);
  };
  EXPECT_EQ(decoded(""), "the fox ' s, i ' ve!");
  EXPECT_EQ(decoded(R"({"clean_up_tokenization_spaces": false})"), "the fox ' s, i ' ve!");
  EXPECT_EQ(decoded(R"({"clean_up_tokenization_spaces": true})"), "the fox's, i've!");
}

}  // namespace
}  // namespace bert
