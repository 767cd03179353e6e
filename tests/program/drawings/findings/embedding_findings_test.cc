#include <gtest/gtest.h>

#include "program/drawings/findings/findings.h"

namespace bert::drawings {
namespace {

// The expected sentences are found by hand for one token and one layer.
TEST(EmbeddingFindings, SayWhichPartIsTheLargest) {
  TokenComposition token;
  token.word = EmbeddingShare{.norm = 3, .share = 0.75, .cosine = 0.9};
  token.position = EmbeddingShare{.norm = 1, .share = 0.25, .cosine = 0.5};
  token.sum_norm = 4;
  token.normalized_norm = 2;
  token.moved = {0.5};
  const std::vector<TokenComposition> parts = {token};
  Encoding encoding;
  encoding.ids = {1347};
  encoding.type_ids = {0};
  const auto findings = embedding_findings(parts, {"dog"}, encoding);
  EXPECT_EQ(findings->answer(), "Mostly its word: 75 % of the sum on average.");
  const std::string text = findings->text({});
  EXPECT_NE(text.find("On average the sum is 75 % word, 25 % position and no segment."), std::string::npos) << text;
  EXPECT_NE(text.find("Layer 1 moves the tokens most (0.50 of their norm on average)"), std::string::npos) << text;
  EXPECT_NE(text.find("share: how much of the sum's squared norm a vector contributes"), std::string::npos) << text;
  Page page("", "");
  findings->add_to(page);
  EXPECT_NE(page.html().find("75 % + 25 %"), std::string::npos);
  EXPECT_NE(page.html().find(">1347</text>"), std::string::npos);
  EXPECT_EQ(page.html().find(">segment</text>"), std::string::npos);  // there are no segment vectors
}

// A model with the shape of Llama has no LayerNorm after its embeddings: the sum is what the first layer reads.
TEST(EmbeddingFindings, NameNoLayerNormThatTheModelLacks) {
  TokenComposition token;
  token.word = EmbeddingShare{.norm = 3, .share = 1, .cosine = 1};
  token.sum_norm = token.normalized_norm = 3;
  token.normalized_cosine = 1;
  const std::vector<TokenComposition> parts = {token};
  Encoding encoding;
  encoding.ids = {1347};
  encoding.type_ids = {0};
  const std::string text = embedding_findings(parts, {"dog"}, encoding)->text({});
  EXPECT_NE(text.find("Its norm is 3.0 to 3.0; the model has no LayerNorm after it."), std::string::npos) << text;
  EXPECT_EQ(text.find("LayerNorm: norm"), std::string::npos) << text;
}

}  // namespace
}  // namespace bert::drawings
