#include "tokenizer/model/model_factory.h"

#include <gtest/gtest.h>

namespace bert {
namespace {

TEST(ModelFactory, MakesTheKindThatTheSettingsAreOf) {
  const Vocabulary vocabulary = Vocabulary::from_list({"[UNK]", "a"}, "v");
  EXPECT_NE(make_model(vocabulary, WordPieceSettings(), "v")->word_piece(), nullptr);
  EXPECT_NE(dynamic_cast<const Bpe*>(make_model(vocabulary, BpeSettings(), "v").get()), nullptr);
  EXPECT_NE(dynamic_cast<const Unigram*>(make_model(vocabulary, UnigramSettings{.scores = {0, 0}}, "v").get()),
            nullptr);
}

}  // namespace
}  // namespace bert
