// WordLevel: a word is a token, or the unknown token. Source: Hugging Face tokenizers 0.22.2, models/wordlevel.
// Immutable; any number of threads may use one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tokenizer/model/subword_model.h"
#include "tokenizer/model/vocabulary.h"

namespace bert {

struct WordLevelSettings {
  std::string unknown_token;
};

class WordLevel : public SubwordModel {
 public:
  // Throws Error(kInvalidFile), which names `source`, if the unknown token is not in the vocabulary, since the
  // reference fails on the first unknown word. Keeps a reference to the vocabulary.
  WordLevel(const Vocabulary& vocabulary, const WordLevelSettings& settings, std::string_view source);

  int32_t tokenize(std::string_view text, std::span<const TextRange> words, SubwordSink& tokens) const override;
  std::optional<int32_t> unknown_id() const override { return unknown_id_; }

 private:
  const Vocabulary& vocabulary_;
  int32_t unknown_id_;
};

}  // namespace bert
