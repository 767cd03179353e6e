// The model of a tokenizer, which splits words into tokens: WordPiece, BPE, Unigram or WordLevel.
// Immutable; any number of threads may use one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tokenizer/normalizer/normalized_text.h"

namespace bert {

class Bpe;
class WordPiece;

// A token over bytes [begin, end) of the text. word: counted from 0 in one call.
struct SubwordToken {
  int32_t id;
  int32_t word;
  size_t begin;
  size_t end;
};

// Takes tokens in their order, so that those of a long word need no list.
class SubwordSink {
 public:
  virtual ~SubwordSink() = default;
  virtual void push_back(const SubwordToken& token) = 0;
};

class SubwordModel {
 public:
  virtual ~SubwordModel() = default;

  // The tokens of each word of a valid UTF-8 text, in order; returns the number of words. Throws Error(kInvalidText)
  // for a word that would need too much memory.
  virtual int32_t tokenize(std::string_view text, std::span<const TextRange> words, SubwordSink& tokens) const = 0;

  // The id of the token that stands for text without tokens; none if the model has no such token.
  virtual std::optional<int32_t> unknown_id() const = 0;

  // unknown_id() if the unknown token's characters are those of its text.
  virtual std::optional<int32_t> verbatim_id() const { return std::nullopt; }

  // The model if it is a WordPiece, whose words WordPiecePass looks up as it reads them; else null.
  virtual const WordPiece* word_piece() const { return nullptr; }

  // The model if it is a Bpe, else null.
  virtual const Bpe* byte_pairs() const { return nullptr; }
};

}  // namespace bert
