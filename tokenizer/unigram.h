// Unigram: of all ways to cut a word into tokens the one whose scores add up to most (Viterbi, from the left, the first
// found of equals). A character without a token is unknown, neighbouring unknown ones are one token. Linear in the
// length of a word. Source: Kudo 2018 and Hugging Face tokenizers 0.22.2, models/unigram. Immutable; any number of
// threads may use one.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tokenizer/subword_model.h"
#include "tokenizer/vocabulary.h"

namespace bert {

struct UnigramSettings {
  std::vector<double> scores = {};  // by id
  int32_t unknown_id = 0;
  bool byte_fallback = false;  // unknown characters become their bytes' <0xNN> tokens
};

class Unigram : public SubwordModel {
 public:
  // scores: one for each token of the vocabulary. Keeps a reference to the vocabulary.
  Unigram(const Vocabulary& vocabulary, UnigramSettings settings);

  int32_t tokenize(std::string_view text, std::span<const TextRange> words,
                   std::vector<SubwordToken>& tokens) const override;

 private:
  // The tokens as a trie over bytes whose edges lie in one hash table.
  struct Edge {
    uint64_t key = UINT64_MAX;  // node, byte
    uint32_t node = 0;
  };
  struct Step;
  uint32_t child(uint32_t node, char byte) const;  // 0: none
  uint32_t add_child(uint32_t node, char byte);
  void grow();
  void find_best_path(std::string_view word, std::vector<Step>& steps) const;
  void append_unknown(std::string_view word, size_t offset, int32_t index, std::vector<SubwordToken>& tokens) const;

  const Vocabulary& vocabulary_;
  std::vector<double> scores_;
  double unknown_score_ = 0;
  int32_t unknown_id_;
  bool byte_fallback_;
  std::array<int32_t, 256> byte_ids_{};
  std::vector<Edge> edges_;
  unsigned shift_ = 0;
  std::vector<int32_t> ids_ = {-1};  // of each node; -1: no token ends here
};

}  // namespace bert
