#include "tokenizer/normalizer/normalizer_stream.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "engine/base/file_source.h"
#include "engine/base/utf8.h"
#include "models/text/tokenizer_families.h"
#include "tests/support/test_data.h"
#include "tokenizer/files/loader.h"
#include "tokenizer/sequence_tokenizer.h"
#include "tokenizer/settings.h"

namespace bert {
namespace {

// Characters that a normalizer, a pre-tokenizer or a model joins with their neighbours, and a few that none joins.
constexpr char32_t kCharacters[] = {
    U'a',   U'b',   U'e',    U'S',    U'k',    U'n',    U'\'',  U's',   U'l',    U'<',    U'>',
    U'1',   U'2',   U'.',    U'.',    U'-',    U' ',    U' ',   U' ',   U'\t',   U'\n',   U'\r',
    0xA0,   0xE9,   0x130,   0x17F,   0x1E9B,  0x300,   0x301,  0x315,  0x323,   0x327,   0x345,
    0xF73,  0xF71,  0x9C7,   0x9BE,   0xAC00,  0xAC01,  0x1100, 0x1161, 0x11A8,  0xFF9E,  0xFFC2,
    0x200B, 0x200D, 0xAD,    0x1,     0x0,     0xFDFA,  0xFB03, 0x2581, 0x2581,  0x3000,  0x6F22,
    0x3046, 0x3099, 0x1F600, 0x1F3FB, 0x1F468, 0x1F469, 0x2764, 0xFE0F, 0x1F1E9, 0xE0061, 0xFFFD,
};

class Texts {
 public:
  explicit Texts(unsigned seed) : random_(seed) {}
  size_t below(size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random_); }
  std::string next(size_t most) {
    std::string text;
    const size_t known = 1 + below(std::size(kCharacters)), first = below(std::size(kCharacters));
    for (size_t i = below(most); i > 0; --i) {
      const size_t repeated = below(12) == 0 ? 1 + below(40) : 1;
      const char32_t c = kCharacters[(first + below(known)) % std::size(kCharacters)];
      for (size_t k = 0; k < repeated; ++k) append_utf8(text, c);
      if (below(9) == 0) text += "<s> <mask>  <unk>";
    }
    return text;
  }

 private:
  std::mt19937 random_;
};

// Makes one token of each word. Its id is a hash of the word's bytes.
class WholeWords : public SubwordModel {
 public:
  int32_t tokenize(std::string_view text, std::span<const TextRange> words, SubwordSink& tokens) const override {
    int32_t index = 0;
    for (const TextRange word : words) {
      const uint64_t hash = hash_string(text.substr(word.begin, word.end - word.begin));
      tokens.push_back({static_cast<int32_t>(hash >> 33), index++, word.begin, word.end});
    }
    return index;
  }
  std::optional<int32_t> unknown_id() const override { return std::nullopt; }
};

NormalizerStep normalizer_step(size_t kind, Texts& texts) {
  switch (kind) {
    case 0:
      return BertNormalizer{.clean_text = texts.below(2) == 0,
                            .split_cjk = texts.below(2) == 0,
                            .decompose = texts.below(2) == 0,
                            .strip_nonspacing = texts.below(3) == 0,
                            .strip_marks = texts.below(4) == 0,
                            .lowercase = texts.below(2) == 0};
    case 1:
      return NormalForm{.compatibility = texts.below(2) == 0, .composed = texts.below(2) == 0};
    case 2: {
      constexpr const char* kPatterns[] = {" {2,}", " ", "``", "..", "\\s+", "aba", "."};
      return Replacement{Pattern::regular_expression(kPatterns[texts.below(4)], "test"), texts.below(2) ? " " : "▁"};
    }
    case 3:
      return StrippedEnds{.left = texts.below(2) == 0, .right = texts.below(2) == 0};
    case 4:
      return Prepended{"▁"};
    default:
      return Replacement{Pattern::text(texts.below(2) ? "aba" : "  "), "x"};
  }
}

PreTokenizerStep pre_tokenizer_step(size_t kind, Texts& texts) {
  switch (kind) {
    case 0:
      return BertSplitRules{.split_spaces = texts.below(2) == 0,
                            .isolate_punctuation = texts.below(2) == 0,
                            .split_word_classes = texts.below(4) == 0};
    case 1:
      return Metaspace{.prepend = static_cast<Metaspace::Prepend>(texts.below(3)), .split = texts.below(4) != 0};
    case 2:
      return ByteLevel{.add_prefix_space = texts.below(2) == 0, .split = texts.below(3) != 0};
    case 3:
      return DigitSplit{.individual = texts.below(2) == 0};
    case 4:
      return PatternSplit{Pattern::regular_expression(kKnownExpressions[texts.below(4)].expression, "test"),
                          static_cast<SplitBehavior>(texts.below(5)), texts.below(4) == 0};
    default:
      return PunctuationSplit{static_cast<SplitBehavior>(texts.below(5))};
  }
}

std::string tokens_of(const SequenceTokenizer& tokenizer, std::string_view text) {
  TokenList list;
  std::vector<VerbatimToken> verbatim;
  tokenizer.append_tokens(text, "text", false, list, &verbatim);
  std::string result;
  const TokenColumns kept = list.kept();
  for (size_t i = 0; i < kept.size(); ++i) {
    const Offset source = kept.sources[i];
    result += std::to_string(kept.ids[i]) + "@" + std::to_string(kept.words[i]) + "[" + std::to_string(source.begin) +
              "," + std::to_string(source.end) + ") ";
  }
  for (const VerbatimToken& token : verbatim) {
    result += std::to_string(token.index) + ":" + std::to_string(token.spaces.leading) + "," +
              std::to_string(token.spaces.trailing) + " ";
  }
  return result;
}

void expect_same_in_pieces(const Normalizer& normalizer, const PreTokenizer& pre_tokenizer, const AddedTokens& added,
                           const SubwordModel& model, size_t piece, const std::string& text) {
  const SequenceTokenizer whole(normalizer, pre_tokenizer, added, model, SIZE_MAX);
  const SequenceTokenizer in_pieces(normalizer, pre_tokenizer, added, model, piece);
  ASSERT_EQ(tokens_of(whole, text), tokens_of(in_pieces, text)) << "pieces of " << piece << " bytes: '" << text << "'";
}

TEST(NormalizerStream, GivesTheTokensOfTheWholeTextWhateverTheSteps) {
  const Vocabulary vocabulary = Vocabulary::from_lines("<s>\n<unk>\n<mask>\nk n\n", "v");
  const WholeWords model;
  Texts texts(1);
  for (int round = 0; round < 4000; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    Normalizer normalizer;
    for (size_t steps = texts.below(4); steps > 0; --steps) normalizer.add(normalizer_step(texts.below(6), texts));
    PreTokenizer pre_tokenizer;
    for (size_t steps = texts.below(3); steps > 0; --steps) {
      pre_tokenizer.add(pre_tokenizer_step(texts.below(6), texts));
    }
    std::vector<AddedToken> tokens;
    for (const char* content : {"<s>", "<unk>", "<mask>", "k n"}) {
      if (texts.below(2) == 0) continue;
      tokens.push_back({.content = content,
                        .single_word = texts.below(3) == 0,
                        .lstrip = texts.below(3) == 0,
                        .rstrip = texts.below(3) == 0,
                        .normalized = texts.below(2) == 0});
    }
    std::optional<AddedTokens> added;
    try {
      added.emplace(vocabulary, normalizer, tokens, "v");
    } catch (const Error&) {  // two added tokens have the same normalized text
      added.emplace();
    }
    expect_same_in_pieces(normalizer, pre_tokenizer, *added, model, 4 + texts.below(30), texts.next(60));
    if (HasFatalFailure()) return;
  }
}

// NormalForm may cut a text before a starter that extends no cluster: no such starter composes with the character
// before it.
TEST(NormalizerStream, KnowsTheStartersThatCompose) {
  size_t starters = 0;
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    char32_t parts[unicode::kMaxDecomposition];
    const size_t count = unicode::decompose(c, parts);
    if (count < 2 || unicode::combining_class(parts[count - 1]) != 0) continue;
    const ClusterClass cluster = unicode::cluster_class(parts[count - 1]);
    const bool extends =
        cluster == ClusterClass::kJoining || cluster == ClusterClass::kVowel || cluster == ClusterClass::kTrailing;
    if (extends) ++starters;
    char32_t first = parts[0];
    for (size_t i = 1; i + 1 < count; ++i) first = unicode::compose(first, parts[i]);
    const bool composes = first != 0 && unicode::compose(first, parts[count - 1]) != 0;
    EXPECT_TRUE(extends || !composes) << "U+" << std::hex << static_cast<uint32_t>(c);
  }
  EXPECT_GT(starters, 11000u);  // mostly Hangul syllables
}

TEST(NormalizerStream, GivesTheTokensOfTheWholeTextOfPublishedTokenizers) {
  for (const char* name : {"t5-small", "roberta-base", "bert-base-uncased.built", "bert-uncased.gte-small"}) {
    BERT_TEST_DATA_OR_SKIP(path, "tokenizer_json/" + std::string(name) + ".tokenizer.json");
    const std::string json = test::read_file(path);
    const TokenizerSettings settings =
        load_settings(MemorySource({{"tokenizer.json", json}}, name), tokenizer_families(), {});
    const auto model = make_model(settings.vocabulary, settings.model, "test");
    Texts texts(2);
    for (int round = 0; round < 300; ++round) {
      expect_same_in_pieces(settings.normalizer, settings.pre_tokenizer, settings.added_tokens, *model,
                            4 + texts.below(40), texts.next(80));
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace bert
