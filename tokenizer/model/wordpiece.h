// WordPiece: splits a word from the left into the longest tokens of the vocabulary; a word that cannot be split is one
// unknown token. Source: Devlin et al. 2018 and Hugging Face tokenizers 0.22.2, models/wordpiece. Immutable; any number
// of threads may use one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bert/tokenizer.h"
#include "tokenizer/model/subword_model.h"
#include "tokenizer/model/token_lengths.h"
#include "tokenizer/model/vocabulary.h"

namespace bert {

struct WordPieceSettings {
  std::string unknown_token = "[UNK]";
  std::string continuing_prefix = "##";  // of tokens that continue a word
  size_t max_chars_per_word = 100;       // a longer word is unknown
};

// A piece of a normalized word: its bytes [begin, end).
struct WordPieceToken {
  int32_t id;
  uint32_t begin;
  uint32_t end;
};

class WordPiece final : public SubwordModel {
 public:
  // Throws Error(kInvalidFile), which names `source`, if the unknown token is not in the vocabulary. Keeps a reference
  // to the vocabulary.
  WordPiece(const Vocabulary& vocabulary, const WordPieceSettings& settings, std::string_view source);

  int32_t tokenize(std::string_view text, std::span<const TextRange> words, SubwordSink& tokens) const override;
  const WordPiece* word_piece() const override { return this; }

  std::optional<int32_t> unknown_id() const override { return unknown_id_; }
  size_t max_chars_per_word() const { return max_chars_per_word_; }

  // Returns the token that equals the word, or StringTable::kAbsent. hash: hash_string of the word.
  int32_t find_word(std::string_view word, uint64_t hash) const {
    return word.size() > words_->longest() ? StringTable::kAbsent : words_->find(word.data(), word.size(), hash);
  }

  // Finds the pieces of a word of at most max_chars_per_word() characters; returns false if the word is unknown.
  bool split(std::string_view word, std::vector<WordPieceToken>& pieces) const;

 private:
  using Lengths = TokenLengths<3, 4096>;

  const StringTable* words_;
  StringTable continuations_;
  Lengths word_lengths_, continuation_lengths_;
  int32_t unknown_id_ = 0;
  size_t max_chars_per_word_;
};

}  // namespace bert
