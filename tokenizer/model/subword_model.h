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

// A token over bytes [begin, end) of the text. word: index of its word in one call, from 0.
struct SubwordToken {
  int32_t id;
  int32_t word;
  size_t begin;
  size_t end;
};

// Receives tokens in order, so that the tokens of a long word need no list.
class SubwordSink {
 public:
  virtual ~SubwordSink() = default;
  virtual void push_back(const SubwordToken& token) = 0;
};

class SubwordModel {
 public:
  virtual ~SubwordModel() = default;

  // Passes the tokens of each word of a valid UTF-8 text to `tokens`, in order; returns the number of words. Throws
  // Error(kInvalidText) for a word that would need too much memory.
  virtual int32_t tokenize(std::string_view text, std::span<const TextRange> words, SubwordSink& tokens) const = 0;

  // Returns the id of the token for text that no token covers; nullopt if the model has no such token.
  virtual std::optional<int32_t> unknown_id() const = 0;

  // Returns unknown_id() if an unknown token stands for the characters of its text; else nullopt.
  virtual std::optional<int32_t> verbatim_id() const { return std::nullopt; }

  // Returns the model if it is a WordPiece, whose words WordPiecePass looks up as it reads them; else null.
  virtual const WordPiece* word_piece() const { return nullptr; }

  // Returns the model if it is a Bpe; else null.
  virtual const Bpe* byte_pairs() const { return nullptr; }
};

}  // namespace bert
