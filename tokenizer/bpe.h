// Byte-pair encoding: a word's characters, merged two by two, the merge that was learnt first going first and the
// leftmost of equals. A heap over a linked list: n log n in the length of a word, however hostile. Byte-level BPE is
// the same after tokenizer/byte_level.h has given each byte its character. Source: Sennrich et al. 2016 and Hugging
// Face tokenizers 0.22.2, models/bpe. Immutable; any number of threads may use one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tokenizer/byte_fallback.h"
#include "tokenizer/subword_model.h"
#include "tokenizer/vocabulary.h"

namespace bert {

struct BpeSettings {
  std::vector<std::pair<std::string, std::string>> merges = {};  // in the order in which they were learnt
  std::optional<std::string> unknown_token = {};                 // without one, characters that have no token vanish
  std::string continuing_prefix = {};                            // before a token that continues a word
  std::string end_suffix = {};                                   // after a token that ends a word
  bool fuse_unknown = false;                                     // neighbouring unknown characters are one token
  bool byte_fallback = false;  // an unknown character becomes its bytes' <0xNN> tokens
  bool ignore_merges = false;  // a word that is a token is that token
};

// "a b": two tokens with one space between; nullopt for anything else.
std::optional<std::pair<std::string_view, std::string_view>> split_merge(std::string_view text);

// merges.txt: two tokens a line; lines that begin with #version, and blank ones, are passed over.
// Throws Error(kInvalidFile) naming `source` and the line.
std::vector<std::pair<std::string, std::string>> parse_merges(std::string_view text, std::string_view source);

class Bpe : public SubwordModel {
 public:
  // Throws Error(kInvalidFile) naming `source`: a merge of what the vocabulary does not have, an unknown token that it
  // does not have. Keeps a reference to the vocabulary.
  Bpe(const Vocabulary& vocabulary, BpeSettings settings, std::string_view source);

  int32_t tokenize(std::string_view text, std::span<const TextRange> words,
                   std::vector<SubwordToken>& tokens) const override;

 private:
  // The merge of two neighbouring tokens.
  struct Merge {
    uint64_t pair = UINT64_MAX;
    uint32_t rank = 0;
    int32_t id = 0;
  };
  struct Symbol;
  struct Candidate;
  class Word;
  static uint64_t pair_of(int32_t left, int32_t right) {
    return uint64_t{static_cast<uint32_t>(left)} << 32 | static_cast<uint32_t>(right);
  }
  size_t slot_of(uint64_t pair) const { return (pair * 0x9E3779B97F4A7C15u) >> shift_; }
  const Merge* find_merge(int32_t left, int32_t right) const;
  void add_merges(std::string_view source);
  int32_t character_id(std::string_view character, bool first, bool last) const;

  const Vocabulary& vocabulary_;
  BpeSettings settings_;
  std::vector<Merge> merges_;  // open addressing
  unsigned shift_ = 63;
  int32_t unknown_id_ = -1;
  std::array<int32_t, 0x200> character_ids_{};  // of characters below it, where a token has neither prefix nor suffix
  std::optional<ByteFallback> bytes_;           // where the settings say so
};

}  // namespace bert
