#include "tokenizer/files/sentencepiece_file.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/expect_error.h"
#include "tests/support/sentencepiece_writer.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

using test::sentencepiece_bytes;

TEST(SentencePieceFile, ReadsPiecesKindAndTable) {
  const SentencePieceFile file =
      read_sentencepiece_file(sentencepiece_bytes({{"<unk>", 0, 2}, {"\u2581a", -1.5}}, 2, "xyz"), "m");
  ASSERT_EQ(file.pieces.size(), 2u);
  EXPECT_EQ(file.pieces[0].type, SentencePieceFile::PieceType::kUnknown);
  EXPECT_EQ(file.pieces[1].text, "\u2581a");
  EXPECT_EQ(file.pieces[1].score, -1.5f);
  EXPECT_EQ(file.kind, SentencePieceFile::Kind::kBpe);
  EXPECT_EQ(file.charsmap, "xyz");
}

TEST(SentencePieceFile, RefusesAFileThatIsCutAnywhere) {
  const std::string whole = sentencepiece_bytes({{"<unk>", 0, 2}}, 1, "x");
  const size_t piece = sentencepiece_bytes({{"<unk>", 0, 2}}, 1, "x").find("<unk>") + 12;  // after the first field
  for (size_t size = 1; size < whole.size(); ++size) {
    try {
      read_sentencepiece_file(whole.substr(0, size), "m");
      EXPECT_GE(size, piece) << "a whole field may be all there is";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidFile);
    }
  }
}

TEST(SentencePieceFile, SaysWhereItIsBroken) {
  const auto error = [](std::string_view bytes) {
    return test::error_of(ErrorCode::kInvalidFile, [&] { read_sentencepiece_file(bytes, "m"); });
  };
  EXPECT_EQ(error(""), "'m': no SentencePiece model: it has no pieces");
  EXPECT_EQ(error("\x0A\x7F"), "'m': no SentencePiece model: broken at byte 2, expected a length within the message");
  EXPECT_EQ(error("\x03"), "'m': no SentencePiece model: broken at byte 1, expected a field number");
  EXPECT_EQ(error("\x0B"), "'m': no SentencePiece model: broken at byte 1, expected a wire type of 0, 1, 2 or 5");
  EXPECT_NE(error(sentencepiece_bytes({{"\xFF"}})).find("expected a piece of valid UTF-8"), std::string::npos);
  EXPECT_NE(error(sentencepiece_bytes({{"a", std::numeric_limits<float>::infinity()}})).find("a finite score"),
            std::string::npos);
  EXPECT_NE(error(sentencepiece_bytes({{"a", 0, 9}})).find("a type of piece from 1 to 6"), std::string::npos);
}

TEST(SentencePieceFile, ReadsRealFiles) {
  BERT_TEST_DATA_OR_SKIP(data, "sentencepiece");
  const auto read = [&](const char* name) { return read_sentencepiece_file(test::read_file(data / name), name); };
  const SentencePieceFile unigram = read("albert-v1.30k-clean.model");
  EXPECT_EQ(unigram.pieces.size(), 30000u);
  EXPECT_EQ(unigram.pieces[2].text, "[CLS]");
  EXPECT_EQ(unigram.kind, SentencePieceFile::Kind::kUnigram);
  EXPECT_FALSE(unigram.charsmap.empty());
  EXPECT_EQ(read("bpemb.en.wiki.bpe.vs100000.model").kind, SentencePieceFile::Kind::kBpe);
}

}  // namespace
}  // namespace bert
