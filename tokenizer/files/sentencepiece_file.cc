#include "tokenizer/files/sentencepiece_file.h"

#include <cmath>

#include "bert/error.h"
#include "engine/base/bit_cast.h"
#include "engine/base/quote.h"
#include "engine/base/utf8.h"

namespace bert {
namespace {

// Field numbers of sentencepiece_model.proto.
constexpr uint32_t kPieces = 1, kTrainerSpec = 2, kNormalizerSpec = 3;
constexpr uint32_t kPieceText = 1, kPieceScore = 2, kPieceType = 3;
constexpr uint32_t kModelType = 3;
constexpr uint32_t kPrecompiledCharsmap = 2;

// A field of a message: its number, and its value by its wire type.
struct Field {
  uint32_t number = 0;
  uint64_t value = 0;           // a varint, or the bits of a fixed 32- or 64-bit value
  std::string_view bytes = {};  // a length-delimited value
};

// Reads a message field by field; every length is checked against the remaining bytes.
class Message {
 public:
  Message(std::string_view bytes, const char* file_begin, std::string_view source)
      : bytes_(bytes), file_begin_(file_begin), source_(source) {}

  bool next(Field& field) {
    if (at_ == bytes_.size()) return false;
    const uint64_t tag = varint();
    field = {.number = static_cast<uint32_t>(tag >> 3)};
    if (tag >> 3 == 0 || tag >> 32 != 0) refuse("a field number");
    switch (tag & 7) {
      case 0:
        field.value = varint();
        return true;
      case 1:
        field.value = fixed(8);
        return true;
      case 2: {
        const uint64_t length = varint();
        if (length > bytes_.size() - at_) refuse("a length within the message");
        field.bytes = bytes_.substr(at_, length);
        at_ += length;
        return true;
      }
      case 5:
        field.value = fixed(4);
        return true;
      default:
        refuse("a wire type of 0, 1, 2 or 5");
    }
  }

  Message inside(const Field& field) const { return {field.bytes, file_begin_, source_}; }

  [[noreturn]] void refuse(const std::string& expected) const {
    throw Error(ErrorCode::kInvalidFile, quote_path(source_) + ": no SentencePiece model: broken at byte " +
                                             std::to_string(bytes_.data() - file_begin_ + static_cast<ptrdiff_t>(at_)) +
                                             ", expected " + expected);
  }

 private:
  uint64_t varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ == bytes_.size()) refuse("the rest of a number");
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      value |= uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return value;
    }
    refuse("a number of at most 10 bytes");
  }
  uint64_t fixed(size_t size) {
    if (size > bytes_.size() - at_) refuse("the rest of a number");
    uint64_t value = 0;
    for (size_t i = 0; i < size; ++i) value |= uint64_t{static_cast<unsigned char>(bytes_[at_ + i])} << (8 * i);
    at_ += size;
    return value;
  }

  std::string_view bytes_;
  const char* file_begin_;
  std::string_view source_;
  size_t at_ = 0;
};

SentencePieceFile::Piece read_piece(Message message) {
  SentencePieceFile::Piece piece;
  for (Field field; message.next(field);) {
    if (field.number == kPieceText) piece.text = field.bytes;
    if (field.number == kPieceScore) piece.score = bit_cast<float>(static_cast<uint32_t>(field.value));
    if (field.number != kPieceType) continue;
    if (field.value < 1 || field.value > 6) message.refuse("a type of piece from 1 to 6");
    piece.type = static_cast<SentencePieceFile::PieceType>(field.value);
  }
  if (find_invalid_utf8(piece.text)) message.refuse("a piece of valid UTF-8");
  if (!std::isfinite(piece.score)) message.refuse("a finite score");
  return piece;
}

}  // namespace

SentencePieceFile read_sentencepiece_file(std::string_view bytes, std::string_view source) {
  SentencePieceFile file;
  Message message(bytes, bytes.data(), source);
  for (Field field; message.next(field);) {
    Message inside = message.inside(field);
    Field part;
    switch (field.number) {
      case kPieces:
        file.pieces.push_back(read_piece(inside));
        break;
      case kTrainerSpec:
        while (inside.next(part)) {
          if (part.number != kModelType) continue;
          if (part.value < 1 || part.value > 4) inside.refuse("a kind of model from 1 to 4");
          file.kind = static_cast<SentencePieceFile::Kind>(part.value);
        }
        break;
      case kNormalizerSpec:
        while (inside.next(part)) {
          if (part.number == kPrecompiledCharsmap) file.charsmap = part.bytes;
        }
        break;
      default:
        break;
    }
  }
  if (file.pieces.empty()) {
    throw Error(ErrorCode::kInvalidFile, quote_path(source) + ": no SentencePiece model: it has no pieces");
  }
  return file;
}

}  // namespace bert
