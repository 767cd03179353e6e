#include "models/text/chunker.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "bert/error.h"
#include "bert/model.h"
#include "tests/support/expect_error.h"

namespace bert {
namespace {

const std::string kText = "The fox jumps. The dog sleeps all day! Ünd the cat?";

const Tokenizer& tokenizer() {
  static const Model model = Model::builtin();
  return model.tokenizer();
}

std::vector<TextChunk> chunks(const std::string& text, const ChunkOptions& options,
                              const std::vector<Offset>& spans = {}, const std::string& prompt = "",
                              size_t max_length = 0) {
  const std::string whole = prompt + text;
  return chunks_of(tokenizer().tokenize(whole, {.max_length = max_length}), whole, prompt.size(), options, spans);
}

std::vector<std::string> texts_of(const std::string& text, const std::vector<TextChunk>& chunks) {
  std::vector<std::string> texts;
  for (const TextChunk& chunk : chunks)
    texts.push_back(text.substr(chunk.bytes.begin, chunk.bytes.end - chunk.bytes.begin));
  return texts;
}

// Expects each token in exactly one chunk, also special tokens.
void expect_whole(const std::vector<TextChunk>& chunks, size_t tokens) {
  size_t next = 0;
  for (const TextChunk& chunk : chunks) {
    EXPECT_EQ(chunk.first_token, next);
    EXPECT_GE(chunk.tokens, 1u);
    next += chunk.tokens;
  }
  EXPECT_EQ(next, tokens);
}

TEST(Chunker, DividesAtTheEndsOfWords) {
  const size_t tokens = tokenizer().tokenize(kText).size();
  for (const size_t most : {1, 2, 3, 5, 8, 100}) {
    const std::vector<TextChunk> found = chunks(kText, {.tokens = most});
    expect_whole(found, tokens);
    for (size_t i = 1; i + 1 < found.size(); ++i) EXPECT_LE(found[i].tokens, most);
  }
  EXPECT_EQ(chunks(kText, {.tokens = 100}).size(), 1u);
  const std::string word = "unbelievabilityness";  // becomes several pieces
  ASSERT_GT(tokenizer().tokenize(word).size(), 4u);
  EXPECT_EQ(texts_of("a " + word, chunks("a " + word, {.tokens = 100}))[0], "a " + word);
  EXPECT_GT(chunks(word, {.tokens = 1}).size(), 1u);  // a too long word is divided
}

TEST(Chunker, TakesWholeSentences) {
  const std::vector<TextChunk> found = chunks(kText, {.sentences = true});
  expect_whole(found, tokenizer().tokenize(kText).size());
  EXPECT_EQ(texts_of(kText, found),
            (std::vector<std::string>{"The fox jumps.", "The dog sleeps all day!", "Ünd the cat?"}));
  EXPECT_EQ(found[2].bytes, (Offset{39, 52}));
  EXPECT_EQ(found[2].code_points, (Offset{39, 51}));
  EXPECT_EQ(texts_of(kText, chunks(kText, {.tokens = 100, .sentences = true})), std::vector<std::string>{kText});
  EXPECT_EQ(chunks(kText, {.tokens = 12, .sentences = true}).size(), 2u);
  const std::vector<TextChunk> small = chunks(kText, {.tokens = 2, .sentences = true});
  expect_whole(small, tokenizer().tokenize(kText).size());
  EXPECT_GT(small.size(), 6u);
}

TEST(Chunker, CountsThePromptToTheFirstChunk) {
  const std::vector<TextChunk> found = chunks(kText, {.sentences = true}, {}, "query: ");
  expect_whole(found, tokenizer().tokenize("query: " + kText).size());
  EXPECT_EQ(found[0].bytes, (Offset{0, 14}));
}

TEST(Chunker, TakesTheCallersSpans) {
  const std::vector<TextChunk> found = chunks(kText, {}, {{4, 13}, {15, 22}});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].bytes, (Offset{4, 13}));
  EXPECT_GT(found[0].first_token, 1u);  // no chunk has the tokens before the first span
  expect_whole(chunks(kText, {}, {{0, kText.size()}}), tokenizer().tokenize(kText).size());
  const auto refused = [&](const std::vector<Offset>& spans) {
    return test::error_of(ErrorCode::kInvalidArgument, [&] { chunks(kText, {}, spans); });
  };
  EXPECT_NE(refused({{0, 4}, {3, 8}}).find("span 1, bytes 3 to 8, expected spans in order"), std::string::npos);
  EXPECT_NE(refused({{4, 4}}).find("none empty"), std::string::npos);
  EXPECT_NE(refused({{0, 99}}).find("a text of 52 bytes"), std::string::npos);
  EXPECT_NE(refused({{3, 4}}).find("no token begins there"), std::string::npos);
  EXPECT_NE(refused({}).find("no spans"), std::string::npos);
  // The text is truncated, so the last span has no token.
  const std::string error = test::error_of(ErrorCode::kInvalidArgument, [&] {
    chunks(kText, {}, {{0, 14}, {15, 38}}, "", 5);
  });
  EXPECT_NE(error.find("the tokens that were read end at byte"), std::string::npos) << error;
}

TEST(Chunker, MakesNoChunksOfNoText) { EXPECT_TRUE(chunks("  ", {.tokens = 5}).empty()); }

std::vector<std::string> sentences(std::string_view text) {
  std::vector<std::string> found;
  for (const Offset& one : sentences_of(text)) found.emplace_back(text.substr(one.begin, one.end - one.begin));
  return found;
}

using Texts = std::vector<std::string>;

TEST(Sentences, EndAtPunctuationBeforeWhiteSpace) {
  EXPECT_EQ(sentences("One. Two! Three? Four"), (Texts{"One.", "Two!", "Three?", "Four"}));
  EXPECT_EQ(sentences("Wait... What?! \"Yes.\" She left (early.) Then"),
            (Texts{"Wait...", "What?!", "\"Yes.\"", "She left (early.)", "Then"}));
  EXPECT_EQ(sentences("3.14 is pi. U.S. law, e.g. this one, stays."),
            (Texts{"3.14 is pi.", "U.S. law, e.g. this one, stays."}));
}

TEST(Sentences, EndAtTheEndsOfLines) {
  EXPECT_EQ(sentences("A title\n\n  a line, and\r\nanother.  "), (Texts{"A title", "a line, and", "another."}));
}

TEST(Sentences, EndAtTheMarksOfOtherScripts) {
  EXPECT_EQ(sentences("我来到北京。这是大学！「好。」是"), (Texts{"我来到北京。", "这是大学！", "「好。」", "是"}));
  EXPECT_EQ(sentences("यह एक है। वह दो है।"), (Texts{"यह एक है।", "वह दो है।"}));
  EXPECT_EQ(sentences("Это раз. Это два. и так"), (Texts{"Это раз.", "Это два. и так"}));
}

TEST(Sentences, AreNoneInATextOfWhiteSpace) {
  EXPECT_EQ(sentences(""), Texts());
  EXPECT_EQ(sentences(" \n\t "), Texts());
  EXPECT_EQ(sentences("."), Texts{"."});
}

}  // namespace

}  // namespace bert
