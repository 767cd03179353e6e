#include "tokenizer/sentencepiece_conversion.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/sentencepiece_writer.h"

namespace bert {
namespace {

SentencePieceFile file_of(const std::vector<test::WrittenPiece>& pieces, int kind = 1) {
  return read_sentencepiece_file(test::sentencepiece_bytes(pieces, kind), "m");
}
const std::vector<test::WrittenPiece> kPieces = {{"<unk>", 0, 2}, {"<s>", 0, 3}, {"</s>", 0, 3}, {"a", -1}, {"9,", -2}};

TEST(SentencePieceConversion, CountsIdsAsTheFamilyDoes) {
  const ConvertedModel shifted = convert_model(file_of(kPieces), *tokenizer_of_model("xlm-roberta"), "m");
  EXPECT_EQ(shifted.vocabulary.id("<pad>"), 1);
  EXPECT_EQ(shifted.vocabulary.id("<unk>"), 3);
  EXPECT_EQ(shifted.vocabulary.id("a"), 4);
  EXPECT_EQ(shifted.vocabulary.id("<mask>"), 6);
  EXPECT_EQ(std::get<UnigramSettings>(shifted.settings).scores, (std::vector<double>{0, 0, 0, 0, -1, -2, 0}));

  const ConvertedModel doubled = convert_model(file_of(kPieces), *tokenizer_of_model("camembert"), "m");
  EXPECT_EQ(doubled.vocabulary.id("<unk>"), 3);
  EXPECT_EQ(doubled.vocabulary.id("<s>"), 5);
  EXPECT_EQ(doubled.vocabulary.id("a"), 7);
  EXPECT_EQ(doubled.vocabulary.id("<mask>"), 9);

  const ConvertedModel plain = convert_model(file_of(kPieces), *tokenizer_of_model("albert"), "m");
  EXPECT_EQ(plain.vocabulary.id("a"), 3);
  EXPECT_EQ(std::get<UnigramSettings>(plain.settings).unknown_id, 0);
  EXPECT_EQ(std::get<UnigramSettings>(plain.settings).scores[4], -102);  // a number keeps apart from its comma
}

// By hand from the reference's rule: score, then longer left part, then longer right part.
TEST(SentencePieceConversion, MakesMergesOfScores) {
  const SentencePieceFile file = file_of({{"<unk>", 0, 2},
                                          {"<s>", 0, 3},
                                          {"</s>", 0, 3},
                                          {"ab", -1},
                                          {"abc", -1},
                                          {"bc", -2},
                                          {"a", -3},
                                          {"b", -4},
                                          {"c", -5}},
                                         2);
  const ConvertedModel model = convert_model(file, *tokenizer_of_model("xlm-roberta"), "m");
  const auto& settings = std::get<BpeSettings>(model.settings);
  EXPECT_EQ(settings.merges,
            (std::vector<std::pair<std::string, std::string>>{{"ab", "c"}, {"a", "bc"}, {"a", "b"}, {"b", "c"}}));
  EXPECT_TRUE(settings.fuse_unknown);
}

TEST(SentencePieceConversion, RefusesOtherKinds) {
  EXPECT_EQ(test::error_of(ErrorCode::kUnsupported,
                           [] { convert_model(file_of(kPieces, 3), *tokenizer_of_model("albert"), "m"); }),
            "'m': a SentencePiece model of words is not supported, expected Unigram or BPE");
  EXPECT_EQ(
      test::error_of(ErrorCode::kInvalidFile, [] { convert_model(file_of({{"a"}}), *tokenizer_of_model("albert"), "m"); }),
      "'m': the unknown token '<unk>' is not among the pieces");
}

TEST(SentencePieceConversion, PreparesTextsAsTheFamilyDoes) {
  const auto normalized = [](const char* family, TextPreparation preparation, std::string_view text) {
    NormalizedText result = original_text(text, 0);
    convert_normalizer(file_of(kPieces), *tokenizer_of_model(family), preparation, "m").apply(result);
    return result.bytes;
  };
  EXPECT_EQ(normalized("albert", {}, "``\u00C9''  \uFB01"), "\"e\" fi");
  EXPECT_EQ(normalized("albert", {.lowercase = false, .keep_accents = true}, "\u00C9"), "\u00C9");
  EXPECT_EQ(normalized("xlm-roberta", {}, " \u00C9   x "), " \u00C9\u2581x");
}

}  // namespace
}  // namespace bert
