// A subword model with its vocabulary. Prints the tokens of a word as one line for comparisons.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tokenizer/model/subword_model.h"
#include "tokenizer/model/vocabulary.h"

namespace bert::test {

struct SubwordTokens : SubwordSink {
  std::vector<SubwordToken> list;
  void push_back(const SubwordToken& token) override { list.push_back(token); }
};

template <class Model>
struct SubwordFixture {
  Vocabulary vocabulary;
  Model model;
  // more: further arguments of the model's constructor, after the vocabulary.
  template <class... More>
  explicit SubwordFixture(const std::vector<std::string>& tokens, More&&... more)
      : vocabulary(Vocabulary::from_list({tokens.begin(), tokens.end()}, "v")),
        model(vocabulary, std::forward<More>(more)...) {}

  std::vector<SubwordToken> tokens(std::string_view word) const {
    SubwordTokens result;
    const std::vector<TextRange> words = {{0, word.size()}};
    EXPECT_EQ(model.tokenize(word, words, result), 1);
    return result.list;
  }
  // Returns a line such as "ab0-2 c2-3".
  std::string split(std::string_view word) const {
    std::string line;
    for (const SubwordToken& token : tokens(word)) {
      line += (line.empty() ? "" : " ") + std::string(vocabulary.token(token.id)) + std::to_string(token.begin) + "-" +
              std::to_string(token.end);
    }
    return line;
  }
};

}  // namespace bert::test
