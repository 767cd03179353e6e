#include "tokenizer/files/sentencepiece_conversion.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "models/text/tokenizer_families.h"
#include "tests/support/expect_error.h"
#include "tests/support/sentencepiece_writer.h"
#include "tests/support/test_data.h"
#include "tokenizer/sequence_tokenizer.h"

namespace bert {
namespace {

SentencePieceFile file_of(const std::vector<test::WrittenPiece>& pieces, int kind = 1) {
  return read_sentencepiece_file(test::sentencepiece_bytes(pieces, kind), "m");
}
const std::vector<test::WrittenPiece> kPieces = {{"<unk>", 0, 2}, {"<s>", 0, 3}, {"</s>", 0, 3}, {"a", -1}, {"9,", -2}};

TEST(SentencePieceConversion, CountsIdsAsTheFamilyDoes) {
  const ConvertedModel shifted = convert_model(file_of(kPieces), *tokenizer_families().of_model("xlm-roberta"), "m");
  EXPECT_EQ(shifted.vocabulary.id("<pad>"), 1);
  EXPECT_EQ(shifted.vocabulary.id("<unk>"), 3);
  EXPECT_EQ(shifted.vocabulary.id("a"), 4);
  EXPECT_EQ(shifted.vocabulary.id("<mask>"), 6);
  EXPECT_EQ(shifted.settings.scores, (std::vector<double>{0, 0, 0, 0, -1, -2, 0}));

  const ConvertedModel doubled = convert_model(file_of(kPieces), *tokenizer_families().of_model("camembert"), "m");
  EXPECT_EQ(doubled.vocabulary.id("<unk>"), 3);
  EXPECT_EQ(doubled.vocabulary.id("<s>"), 5);
  EXPECT_EQ(doubled.vocabulary.id("a"), 7);
  EXPECT_EQ(doubled.vocabulary.id("<mask>"), 9);

  const ConvertedModel plain = convert_model(file_of(kPieces), *tokenizer_families().of_model("albert"), "m");
  EXPECT_EQ(plain.vocabulary.id("a"), 3);
  EXPECT_EQ(plain.settings.unknown_id, 0);
  EXPECT_EQ(plain.settings.scores[4], -102);  // a number with a comma gets a penalty of 100
}

TEST(SentencePieceConversion, KeepsACommaFromTheNumberBeforeItWhereverThatBegins) {
  const std::vector<test::WrittenPiece> pieces = {{"<unk>", 0, 2}, {"\u20812012,", -1}, {"a1,", -2}, {"a,", -3}};
  const ConvertedModel model = convert_model(file_of(pieces), *tokenizer_families().of_model("albert"), "m");
  EXPECT_EQ(model.settings.scores, (std::vector<double>{0, -101, -102, -3}));
}

// ALBERT's conversion keeps the file's unknown token, though it is not named <unk>; CamemBERT's own <unk> replaces it.
TEST(SentencePieceConversion, TakesTheFilesUnknownToken) {
  const std::vector<test::WrittenPiece> pieces = {{"[PAD]", 0, 3}, {"[UNK]", 0, 2}, {"a", -1}, {"b", -2}};
  const auto converted = [&](const char* family) {
    return convert_model(file_of(pieces), *tokenizer_families().of_model(family), "m");
  };
  EXPECT_EQ(converted("albert").settings.unknown_id, 1);
  EXPECT_EQ(converted("camembert").settings.unknown_id, 3);
}

TEST(SentencePieceConversion, RefusesOtherKinds) {
  const auto refused = [](int kind) {
    return test::error_of(ErrorCode::kUnsupported, [&] {
      convert_model(file_of(kPieces, kind), *tokenizer_families().of_model("albert"), "m");
    });
  };
  EXPECT_EQ(refused(2), "'m': a SentencePiece model of BPE is not supported, expected Unigram, or a tokenizer.json");
  EXPECT_EQ(refused(3), "'m': a SentencePiece model of words is not supported, expected Unigram, or a tokenizer.json");
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidFile,
                           [] { convert_model(file_of({{"a"}}), *tokenizer_families().of_model("albert"), "m"); }),
            "'m': the unknown token '<unk>' is not among the pieces");
}

// The expected texts are those of transformers 5.23.
TEST(SentencePieceConversion, PreparesTextsAsTheClassDoes) {
  const auto normalized = [](PieceText kind, const PieceTextOptions& options, std::string_view text) {
    NormalizedText result = original_text(text, 0);
    piece_text_settings(kind, options, nullptr).normalizer.apply(result);
    return result.bytes;
  };
  EXPECT_EQ(normalized(PieceText::kPrepared, {}, "``\u00C9''  \uFB01"), "\"e\"  fi");
  EXPECT_EQ(normalized(PieceText::kPrepared, {.lowercase = false, .keep_accents = true}, "\u00C9"), "\u00C9");
  EXPECT_EQ(normalized(PieceText::kPlain, {}, " \u00C9   x "), " \u00C9   x ");
  EXPECT_EQ(normalized(PieceText::kComposed, {.lowercase = true}, "A\t\nE\u0301 "), "a \u00E9");
}

// The expected words are those of DebertaV2Tokenizer in transformers 5.23.
TEST(SentencePieceConversion, ComposesTexts) {
  const auto words = [](const PieceTextOptions& options, std::string_view text) {
    const PieceTextSettings made = piece_text_settings(PieceText::kComposed, options, nullptr);
    SplitText split{original_text(text, 0), {}};
    made.normalizer.apply(split.text);
    split.words = {{0, split.text.bytes.size()}};
    made.pre_tokenizer.apply(split);
    std::string joined;
    for (const TextRange& word : split.words) {
      joined += " " + split.text.bytes.substr(word.begin, word.end - word.begin);
    }
    return joined;
  };
  const PieceTextOptions cased = {.lowercase = false};
  EXPECT_EQ(words(cased, "a \n\tb"), " \u2581a \u2581b");
  EXPECT_EQ(words(cased, "e\u0301 a\tb  "), " \u2581\u00E9 \u2581a \u2581b");
  EXPECT_EQ(words(cased, "\u00A0a"), " \u2581\u00A0a");
  EXPECT_EQ(words(cased, "b\u00A0\u2003b"), " \u2581b \u2581b");
  EXPECT_EQ(words(cased, "A.c b"), " \u2581A.c \u2581b");
  EXPECT_EQ(words({}, "A.c b"), " \u2581a.c \u2581b");
  EXPECT_EQ(words({.lowercase = false, .split_punctuation = true}, "A.c b"), " \u2581A \u2581. \u2581c \u2581b");
}

TEST(SentencePieceConversion, SplitsAtWhiteSpaceBeforeItMarksWords) {
  const PieceTextSettings plain = piece_text_settings(PieceText::kPlain, {}, nullptr);
  PreTokenizer expected;
  expected.add(BertSplitRules{.split_spaces = true});
  expected.add(Metaspace());
  EXPECT_EQ(plain.pre_tokenizer, expected);
  expected = PreTokenizer();
  expected.add(BertSplitRules{.isolate_punctuation = true});
  expected.add(Metaspace{.prepend = Metaspace::Prepend::kFirst});
  EXPECT_EQ(piece_text_settings(PieceText::kComposed, {.add_prefix_space = false, .split_punctuation = true}, nullptr)
                .pre_tokenizer,
            expected);
}

// The expected ids are SentencePiece's own. SentencePiece never finds control or unknown pieces in a text, but the
// conversion does, because it matches added tokens first. So the test renames these pieces to texts that do not occur.
// A few lines differ on purpose: the conversion looks up a character with many marks whole in the table, and drops
// white space that the table keeps.
TEST(SentencePieceConversion, KeepsSentencePiecesOwnIds) {
  BERT_TEST_DATA_OR_SKIP(data, "sentencepiece");
  const struct {
    std::string name;
    size_t different;
  } files[] = {{"albert-v1.30k-clean", 18}, {"sentencepiece-test_model", 41}, {"sentencepiece-test_ja_model", 41}};
  for (const auto& [name, different] : files) {
    SentencePieceFile file = read_sentencepiece_file(test::read_file(data / (name + ".model")), name);
    using Type = SentencePieceFile::PieceType;
    for (auto& piece : file.pieces) {
      if (piece.type == Type::kControl || piece.type == Type::kUnknown) piece.text = "\U0010FFFF" + piece.text;
    }
    const TokenizerFamily plain = {.files = TokenizerFiles::kSentencePiece};
    const ConvertedModel converted = convert_model(file, plain, name);
    const auto model = make_model(converted.vocabulary, converted.settings, name);
    std::shared_ptr<const Charsmap> charsmap = std::make_shared<const Charsmap>(file.charsmap, name);
    const PieceTextSettings text = piece_text_settings(PieceText::kPlain, {}, charsmap);
    const AddedTokens none;
    const SequenceTokenizer tokenizer(text.normalizer, text.pre_tokenizer, none, *model);
    std::ifstream lines(data / (name + ".public.jsonl"));
    size_t count = 0, wrong = 0;
    for (std::string line; std::getline(lines, line); ++count) {
      const auto json = nlohmann::json::parse(line);
      TokenList tokens;
      tokenizer.append_tokens(json["text"].get<std::string>(), "text", false, tokens);
      const std::span<const int32_t> ids = tokens.kept().ids;
      if (std::vector(ids.begin(), ids.end()) != json["ids"].get<std::vector<int32_t>>()) ++wrong;
    }
    EXPECT_EQ(wrong, different) << name << ", of " << count;
    EXPECT_GT(count, 1600u);
  }
}

}  // namespace
}  // namespace bert
