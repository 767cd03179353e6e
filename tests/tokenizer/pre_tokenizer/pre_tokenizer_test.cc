#include "tokenizer/pre_tokenizer/pre_tokenizer.h"

#include <gtest/gtest.h>

#include "tokenizer/normalizer/normalizer.h"

namespace bert {
namespace {

// Returns each word with its offsets in the text, as in "▁Hey0-3 ▁you3-7".
std::string split(const PreTokenizer& pre_tokenizer, std::string_view text) {
  SplitText result{original_text(text, 0), {{0, text.size()}}};
  pre_tokenizer.apply(result);
  std::string line;
  for (const TextRange& word : result.words) {
    const Offset source = result.text.source(word);
    line += (line.empty() ? "" : " ") + result.text.bytes.substr(word.begin, word.end - word.begin) +
            std::to_string(source.begin) + "-" + std::to_string(source.end);
  }
  return line;
}

template <typename... Steps>
PreTokenizer pre_tokenizer_of(const Steps&... steps) {
  PreTokenizer result;
  (result.add(steps), ...);
  return result;
}

// The expected words and offsets are those of tokenizers 0.22.2.
TEST(PreTokenizer, MarksSpaces) {
  using Prepend = Metaspace::Prepend;
  for (const Prepend prepend : {Prepend::kAlways, Prepend::kFirst, Prepend::kNever}) {
    const PreTokenizer pre_tokenizer = pre_tokenizer_of(Metaspace{.prepend = prepend});
    EXPECT_EQ(split(pre_tokenizer, " Hey  you"), "\u2581Hey0-4 \u25814-5 \u2581you5-9");
    EXPECT_EQ(split(pre_tokenizer, "Hey"), prepend == Prepend::kNever ? "Hey0-3" : "\u2581Hey0-3");
  }
  EXPECT_EQ(split(pre_tokenizer_of(BertSplitRules{.split_spaces = true}, Metaspace()), "Hey you"),
            "\u2581Hey0-3 \u2581you4-7");
  EXPECT_EQ(
      split(pre_tokenizer_of(BertSplitRules{.split_spaces = true}, Metaspace{.prepend = Prepend::kFirst}), "Hey you"),
      "\u2581Hey0-3 you4-7");
}

TEST(PreTokenizer, KeepsMarkedWordsTogetherWithoutSplit) {
  EXPECT_EQ(split(pre_tokenizer_of(Metaspace{.split = false}), "a b"), "\u2581a\u2581b0-3");
}

TEST(PreTokenizer, GivesBytesTheirCharacters) {
  EXPECT_EQ(split(pre_tokenizer_of(ByteLevel()), "a  "), "\u0120a0-1 \u0120\u01201-3");
  EXPECT_EQ(split(pre_tokenizer_of(ByteLevel{.add_prefix_space = false}), "x \u00E9"), "x0-1 \u0120\u00C3\u00A91-4");
  EXPECT_EQ(split(pre_tokenizer_of(ByteLevel{.split = false}), " a b"), "\u0120a\u0120b0-4");
}

TEST(PreTokenizer, CutsNumbersOff) {
  EXPECT_EQ(split(pre_tokenizer_of(DigitSplit()), "a12b"), "a0-1 121-3 b3-4");
  EXPECT_EQ(split(pre_tokenizer_of(DigitSplit{true}), "a12b"), "a0-1 11-2 22-3 b3-4");
}

// The expected parts are those of tokenizers 0.23.3.
TEST(PreTokenizer, JoinsWhatMatchesAsTheBehaviorSays) {
  using enum SplitBehavior;
  const auto parts = [](SplitBehavior behavior, bool invert) {
    return split(pre_tokenizer_of(PatternSplit{Pattern::text(","), behavior, invert}), ",a,,b,");
  };
  EXPECT_EQ(parts(kRemoved, false), "a1-2 b4-5");
  EXPECT_EQ(parts(kRemoved, true), ",0-1 ,2-3 ,3-4 ,5-6");
  EXPECT_EQ(parts(kIsolated, false), ",0-1 a1-2 ,2-3 ,3-4 b4-5 ,5-6");
  EXPECT_EQ(parts(kMergedWithPrevious, false), ",0-1 a,1-3 ,3-4 b,4-6");
  EXPECT_EQ(parts(kMergedWithPrevious, true), ",a0-2 ,2-3 ,b3-5 ,5-6");
  EXPECT_EQ(parts(kMergedWithNext, false), ",a0-2 ,2-3 ,b3-5 ,5-6");
  EXPECT_EQ(parts(kMergedWithNext, true), ",0-1 a,1-3 ,3-4 b,4-6");
  EXPECT_EQ(parts(kContiguous, false), ",0-1 a1-2 ,,2-4 b4-5 ,5-6");
}

TEST(PreTokenizer, SplitsOffPunctuationWithABehavior) {
  EXPECT_EQ(split(pre_tokenizer_of(PunctuationSplit{SplitBehavior::kMergedWithPrevious}), "a,.b!"), "a,0-2 .2-3 b!3-5");
  EXPECT_EQ(split(pre_tokenizer_of(PunctuationSplit{SplitBehavior::kContiguous}), "a,.b!"), "a0-1 ,.1-3 b3-4 !4-5");
}

// The expected words and offsets are those of tokenizers 0.23.3.
TEST(PreTokenizer, SplitsWhereTheScriptChanges) {
  const PreTokenizer scripts = pre_tokenizer_of(ScriptSplit());
  EXPECT_EQ(split(scripts, "Hello, \u043C\u0438\u0440 12"), "Hello0-5 , 5-7 \u043C\u0438\u0440 7-14 1214-16");
  EXPECT_EQ(split(scripts, "\u306F\u30AB\u30F3\u30FC\u6F22\u5B57a"), "\u306F\u30AB\u30F3\u30FC\u6F22\u5B570-18 a18-19")
      << "Hiragana, Katakana and Han are one";
  EXPECT_EQ(split(scripts, "  a"), "a2-3") << "what has no script is dropped at the beginning";
  EXPECT_EQ(split(scripts, "\u0378a"), "a2-3");
  EXPECT_EQ(split(scripts, "a\u0378\u042F"), "a\u03780-3 \u042F3-5");
  EXPECT_EQ(split(scripts, "  "), "");
  EXPECT_EQ(split(pre_tokenizer_of(BertSplitRules{.split_spaces = true}, ScriptSplit()), "a \u0378 b"), "a0-1 b5-6");
}

// The expected words and offsets are those of tokenizers 0.23.3.
TEST(PreTokenizer, SplitsIntoWordsOfAFixedLength) {
  EXPECT_EQ(split(pre_tokenizer_of(FixedLengthSplit{3}), "a\u00E9\u042F\U0001F600bcd"),
            "a\u00E9\u042F0-5 \U0001F600bc5-11 d11-12");
  EXPECT_EQ(split(pre_tokenizer_of(FixedLengthSplit{3}), "abc"), "abc0-3");
  EXPECT_EQ(split(pre_tokenizer_of(BertSplitRules{.split_spaces = true}, FixedLengthSplit{2}), "abc de"),
            "ab0-2 c2-3 de4-6");
}

TEST(PreTokenizer, MayBeCutBetweenTwoScriptsAndBetweenSingleCharacters) {
  const PreTokenizer scripts = pre_tokenizer_of(ScriptSplit());
  EXPECT_TRUE(scripts.may_cut('a', U'\u042F'));
  EXPECT_FALSE(scripts.may_cut('a', 'b'));
  EXPECT_FALSE(scripts.may_cut('a', ' '));
  EXPECT_FALSE(scripts.may_cut(' ', 'a'));
  EXPECT_TRUE(pre_tokenizer_of(FixedLengthSplit{1}).may_cut('a', 'b'));
  EXPECT_FALSE(pre_tokenizer_of(FixedLengthSplit{2}).may_cut('a', 'b'));
}

// The expression's lookbehind does not see the word before.
TEST(PreTokenizer, SearchesEachWordAlone) {
  const Pattern pattern = Pattern::regular_expression("(?<=a)b", "f: x");
  EXPECT_EQ(split(pre_tokenizer_of(PatternSplit{Pattern::text("a")}, PatternSplit{pattern}), "abb"), "a0-1 bb1-3");
  EXPECT_EQ(split(pre_tokenizer_of(PatternSplit{pattern}), "abb"), "a0-1 b1-2 b2-3");
}

TEST(PreTokenizer, IsOnePassWhereCharactersDecideAlone) {
  EXPECT_EQ(pre_tokenizer_of(BertSplitRules{.split_spaces = true}, BertSplitRules{.isolate_punctuation = true}),
            PreTokenizer(BertSplitRules{.split_spaces = true, .isolate_punctuation = true}));
  EXPECT_EQ(pre_tokenizer_of(BertSplitRules{.split_spaces = true}, ByteLevel()).single(), nullptr);
  EXPECT_EQ(
      split(pre_tokenizer_of(BertSplitRules{.split_word_classes = true}, BertSplitRules{.isolate_punctuation = true}),
            "a_1-- b"),
      "a0-1 _1-2 12-3 -3-4 -4-5 b6-7");
}

}  // namespace
}  // namespace bert
