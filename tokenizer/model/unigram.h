// Unigram: splits a word into the tokens with the highest sum of scores (Viterbi from the left; the first of equal sums
// wins). A character without a token is unknown; neighbouring unknown characters are one token. Without an unknown
// token, a text that needs it is an error. Takes time linear in the length of a word. Source: Kudo 2018 and Hugging
// Face tokenizers 0.22.2, models/unigram. Immutable; any number of threads may use one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tokenizer/model/byte_fallback.h"
#include "tokenizer/model/subword_model.h"
#include "tokenizer/model/token_lengths.h"
#include "tokenizer/model/vocabulary.h"

namespace bert {

struct UnigramSettings {
  std::vector<double> scores = {};  // by id
  std::optional<int32_t> unknown_id = 0;
  bool byte_fallback = false;  // unknown characters become <0xNN> byte tokens
};

class Unigram : public SubwordModel {
 public:
  // The longest token, which bounds the time of a text, because a token of each length may begin at each character.
  // SentencePiece's own limit is 16 characters by default.
  static constexpr size_t kMaxTokenBytes = 256;

  // scores: one for each token of the vocabulary. Keeps a reference to the vocabulary. Throws Error(kUnsupported),
  // which names `source`, for a token longer than kMaxTokenBytes.
  Unigram(const Vocabulary& vocabulary, UnigramSettings settings, std::string_view source);

  int32_t tokenize(std::string_view text, std::span<const TextRange> words, SubwordSink& tokens) const override;
  std::optional<int32_t> unknown_id() const override { return unknown_id_; }
  std::optional<int32_t> verbatim_id() const override { return unknown_id_; }

 private:
  class Path;
  void append_unknown(std::string_view word, size_t offset, int32_t index, SubwordSink& tokens) const;

  const Vocabulary& vocabulary_;
  std::vector<double> scores_;
  double unknown_score_ = 0;
  std::optional<int32_t> unknown_id_;
  std::optional<ByteFallback> bytes_;  // set if the settings enable it
  // Indexed by three and by six bytes, because most tokens begin with the three bytes of "▁".
  using Lengths = TokenLengths<6, 65536>;
  TokenLengths<3, 16384> lengths_by_3_;
  Lengths lengths_by_6_;
  std::vector<uint64_t> powers_;  // of kHashBase, up to the length of the longest token
};

}  // namespace bert
