// The contents of a SentencePiece model file: a protocol-buffer message of pieces with scores, the kind of model, and
// the table of its normalizer. Stateless; safe to call from many threads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bert {

struct SentencePieceFile {
  enum class Kind : uint8_t { kUnigram = 1, kBpe = 2, kWord = 3, kChar = 4 };
  enum class PieceType : uint8_t { kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5, kByte = 6 };
  struct Piece {
    std::string text;
    float score = 0;
    PieceType type = PieceType::kNormal;
  };
  std::vector<Piece> pieces;
  Kind kind = Kind::kUnigram;
  std::string charsmap;  // a table for tokenizer/normalizer/charsmap.h; "": none
};

// Parses the file. Throws Error(kInvalidFile), which names `source` and the byte where the message is broken.
SentencePieceFile read_sentencepiece_file(std::string_view bytes, std::string_view source);

}  // namespace bert
