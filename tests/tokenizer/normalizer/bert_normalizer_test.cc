// Compares the normalizer, and the pre-tokenizer's splits, with the reference's on every Unicode scalar value.
#include "tokenizer/normalizer/bert_normalizer.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "engine/base/utf8.h"
#include "tests/support/share.h"
#include "tests/support/test_data.h"
#include "tests/tokenizer/normalizer/normalizers.h"
#include "tokenizer/pre_tokenizer/bert_split_rules.h"
#include "tokenizer/settings.h"

namespace bert {
namespace {

// Collects the characters that a stream puts out, and their sources as indices of code points.
struct Collected {
  std::u32string text;
  std::vector<Offset> sources;
  void put(char32_t c, uint8_t, Offset source) {
    text += c;
    sources.push_back(source);
  }
};

Collected run(const BertNormalizer& normalizer, std::u32string_view text) {
  Collected result;
  BertNormalizerStream stream(normalizer, result);
  for (size_t i = 0; i < text.size(); ++i) stream.push(text[i], {i, i + 1});
  stream.flush();
  return result;
}

std::u32string normalized(const BertNormalizer& normalizer, std::u32string_view text) {
  return run(normalizer, text).text;
}

// Returns the words of a normalized text.
std::vector<std::u32string> words(std::u32string_view text) {
  std::vector<std::u32string> result;
  bool open = false;
  for (const char32_t c : text) {
    const CharRole role = char_role(kBertPreTokenizer, c, unicode::properties(c));
    if (role == CharRole::kSpace) {
      open = false;
    } else if (role == CharRole::kAlone || !open) {
      result.push_back({c});
      open = role != CharRole::kAlone;
    } else {
      result.back() += c;
    }
  }
  return result;
}

std::u32string parse_code_points(std::string_view joined) {
  std::u32string result;
  std::stringstream stream{std::string(joined)};
  for (std::string item; std::getline(stream, item, '+');)
    result += static_cast<char32_t>(std::stoul(item, nullptr, 16));
  return result;
}

// Returns the expected words of 'a', c, 'b'. what: the entry of c in every_code_point.tsv.
std::vector<std::u32string> expected_words(const std::string& what, char32_t c) {
  if (what == "removed") return {U"ab"};
  if (what == "space") return {U"a", U"b"};
  if (what == "isolated") return {U"a", {c}, U"b"};
  if (what == "kept") return {{U'a', c, U'b'}};
  std::vector<std::u32string> result;
  std::stringstream stream(what);
  for (std::string word; std::getline(stream, word, ' ');) result.push_back(parse_code_points(word));
  return result;
}

TEST(BertNormalizer, EqualsTheReferenceOnEveryCodePoint) {
  BERT_TEST_DATA_OR_SKIP(path, "tokenizer/every_code_point.tsv");
  std::ifstream file(path);
  std::string line;
  size_t checked = 0, different = 0;
  const test::Share share(8);
  while (std::getline(file, line)) {
    if (line.starts_with("#")) continue;
    std::stringstream fields(line);
    std::string range, uncased, cased;
    std::getline(fields, range, '\t');
    std::getline(fields, uncased, '\t');
    std::getline(fields, cased, '\t');
    const char32_t first = static_cast<char32_t>(std::stoul(range.substr(0, range.find('-')), nullptr, 16));
    const char32_t last = static_cast<char32_t>(std::stoul(range.substr(range.find('-') + 1), nullptr, 16));
    for (char32_t c = first; c <= last; ++c) {
      ++checked;
      if (!share.has(c)) continue;
      const char32_t text[] = {U'a', c, U'b'};
      const std::u32string_view between(text, 3);
      const bool same = words(normalized(test::kUncased, between)) == expected_words(uncased, c) &&
                        words(normalized(test::kCased, between)) == expected_words(cased, c);
      if (same) continue;
      if (++different <= 5) ADD_FAILURE() << "U+" << std::hex << static_cast<uint32_t>(c) << ": " << line;
    }
  }
  EXPECT_EQ(checked, 1112064u);
  EXPECT_EQ(different, 0u);
}

TEST(BertNormalizer, EqualsTheReferenceOnPairsOfMarks) {
  BERT_TEST_DATA_OR_SKIP(path, "tokenizer/mark_pairs.tsv");
  std::ifstream file(path);
  std::string line;
  size_t checked = 0;
  while (std::getline(file, line)) {
    if (line.starts_with("#")) continue;
    std::stringstream fields(line);
    std::string first, second, result;
    fields >> first >> second >> result;
    const std::u32string text = U"a" + parse_code_points(first) + parse_code_points(second) + U"b";
    ++checked;
    ASSERT_EQ(normalized(test::kUncased, text), parse_code_points(result)) << line;
  }
  EXPECT_EQ(checked, 8423u);
}

// So one BertNormalizer serves for both orders of Lowercase and NFD in a sequence.
TEST(BertNormalizer, LowersBeforeOrAfterDecomposingAlike) {
  const BertNormalizer lower = {.lowercase = true};
  const test::Share share(8);
  for (const BertNormalizer& strip :
       {BertNormalizer{.decompose = true}, BertNormalizer{.decompose = true, .strip_nonspacing = true},
        BertNormalizer{.decompose = true, .strip_marks = true}}) {
    for (char32_t c = 0; c < 0x110000; ++c) {
      if (c == 0xD800) c = 0xE000;
      if (!share.has(c)) continue;
      const std::u32string_view text(&c, 1);
      ASSERT_EQ(normalized(strip, normalized(lower, text)), normalized(lower, normalized(strip, text)))
          << std::hex << static_cast<uint32_t>(c);
    }
  }
}

// The expected offsets are the reference's for the tokens e, U+302F and x: a mark that moves gets the source of its new
// place.
TEST(BertNormalizer, GivesMarksTheSourcesOfTheirNewPlaces) {
  const Collected result = run(test::kUncased, U"e\u0301\u302Fx");
  EXPECT_EQ(result.text, U"e\u302Fx");
  EXPECT_EQ(result.sources, (std::vector<Offset>{{0, 1}, {1, 2}, {3, 4}}));
}

TEST(BertNormalizer, GivesBothPartsOfADecompositionItsSource) {
  const Collected result = run({.decompose = true}, U"x\u00E9");
  EXPECT_EQ(result.text, U"xe\u0301");
  EXPECT_EQ(result.sources, (std::vector<Offset>{{0, 1}, {1, 2}, {1, 2}}));
}

TEST(BertNormalizer, MakesTwoCharactersOfTheDottedCapitalIWhereAccentsStay) {
  EXPECT_EQ(normalized(bert_normalizer(true, true, false, true), U"\u0130"), U"i\u0307");
  EXPECT_EQ(normalized(test::kUncased, U"\u0130"), U"i");
}

TEST(BertNormalizer, KeepsControlsWithoutCleaning) {
  EXPECT_EQ(normalized(bert_normalizer(false, true, std::nullopt, true), U"a\x0B\u200B\u00A0"), U"a\x0B\u200B\u00A0");
}

TEST(BertNormalizer, OrdersAMillionMarksInTime) {
  std::u32string text = U"a";
  for (size_t i = 0; i < 500000; ++i) text += i % 2 == 0 ? U'\u0301' : U'\u0334';
  const std::u32string result = normalized({.decompose = true}, text);
  EXPECT_EQ(result[1], U'\u0334');
  EXPECT_EQ(result.back(), U'\u0301');
}

}  // namespace
}  // namespace bert
