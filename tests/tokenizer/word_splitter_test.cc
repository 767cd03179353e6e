#include "tokenizer/word_splitter.h"

#include <gtest/gtest.h>

#include "tokenizer/text_normalizer.h"

namespace bert {
namespace {

// "▁Hey0-3 ▁you3-7"
std::string split(const WordSplitter& splitter, std::string_view text) {
  SplitText result{original_text(text, 0), {{0, text.size()}}};
  splitter.apply(result);
  std::string line;
  for (const TextRange& word : result.words) {
    const Offset source = result.text.source(word);
    line += (line.empty() ? "" : " ") + result.text.bytes.substr(word.begin, word.end - word.begin) +
            std::to_string(source.begin) + "-" + std::to_string(source.end);
  }
  return line;
}

template <typename... Steps>
WordSplitter splitter_of(const Steps&... steps) {
  WordSplitter result;
  (result.add(steps), ...);
  return result;
}

// The reference's own words and offsets (version 0.22.2).
TEST(WordSplitter, MarksSpaces) {
  using Prepend = Metaspace::Prepend;
  for (const Prepend prepend : {Prepend::kAlways, Prepend::kFirst, Prepend::kNever}) {
    const WordSplitter splitter = splitter_of(Metaspace{.prepend = prepend});
    EXPECT_EQ(split(splitter, " Hey  you"), "\u2581Hey0-4 \u25814-5 \u2581you5-9");
    EXPECT_EQ(split(splitter, "Hey"), prepend == Prepend::kNever ? "Hey0-3" : "\u2581Hey0-3");
  }
  EXPECT_EQ(split(splitter_of(PreTokenizer{.split_spaces = true}, Metaspace()), "Hey you"),
            "\u2581Hey0-3 \u2581you4-7");
  EXPECT_EQ(split(splitter_of(PreTokenizer{.split_spaces = true}, Metaspace{.prepend = Prepend::kFirst}), "Hey you"),
            "\u2581Hey0-3 you4-7");
}

TEST(WordSplitter, KeepsMarkedWordsTogetherWithoutSplit) {
  EXPECT_EQ(split(splitter_of(Metaspace{.split = false}), "a b"), "\u2581a\u2581b0-3");
}

TEST(WordSplitter, GivesBytesTheirCharacters) {
  EXPECT_EQ(split(splitter_of(ByteLevel()), "a  "), "\u0120a0-1 \u0120\u01201-3");
  EXPECT_EQ(split(splitter_of(ByteLevel{.add_prefix_space = false}), "x \u00E9"), "x0-1 \u0120\u00C3\u00A91-4");
  EXPECT_EQ(split(splitter_of(ByteLevel{.split = false}), " a b"), "\u0120a\u0120b0-4");
}

TEST(WordSplitter, CutsNumbersOff) {
  EXPECT_EQ(split(splitter_of(DigitSplit()), "a12b"), "a0-1 121-3 b3-4");
  EXPECT_EQ(split(splitter_of(DigitSplit{true}), "a12b"), "a0-1 11-2 22-3 b3-4");
}

TEST(WordSplitter, IsOnePassWhereCharactersDecideAlone) {
  EXPECT_EQ(splitter_of(PreTokenizer{.split_spaces = true}, PreTokenizer{.isolate_punctuation = true}),
            WordSplitter(PreTokenizer{.split_spaces = true, .isolate_punctuation = true}));
  EXPECT_EQ(splitter_of(PreTokenizer{.split_spaces = true}, ByteLevel()).single(), nullptr);
  EXPECT_EQ(split(splitter_of(PreTokenizer{.split_word_classes = true}, PreTokenizer{.isolate_punctuation = true}),
                  "a_1-- b"),
            "a0-1 _1-2 12-3 -3-4 -4-5 b6-7");
}

}  // namespace
}  // namespace bert
