// From one item to its sequences of tokens: the text, its windows, or the given ids. Immutable; safe to use from many
// threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bert/text_pipeline.h"

namespace bert {

// The number of unknown tokens in the encoding.
size_t count_unknown(const Tokenizer& tokenizer, const Encoding& encoding);

class TextCutter {
 public:
  // tokenizer: null if the model has none; a text is then an error, and ids are not. model: null if texts are only
  // tokenised. role: texts are tokenised as a late-interaction model's of this role.
  TextCutter(const Tokenizer* tokenizer, const Model* model, const TextOptions& options, std::string prompt,
             std::optional<TextRole> role = {});

  // Adds the item's sequences, at least one, to `results`; a failed sequence is replaced by its error.
  void cut(TextItem item, size_t index, std::vector<TextResult>& results) const;

  // As input of the encoder; a view of the result.
  TokenSequence sequence(const TextResult& result) const;

 private:
  void tokenize(TextItem& item, const TextResult& blank, std::vector<TextResult>& results) const;
  std::vector<Encoding> encodings(const TextItem& item) const;
  void check(TextResult& result) const;

  const Tokenizer& tokenizer() const { return tokenizer_ != nullptr ? *tokenizer_ : model_->tokenizer(); }

  const Tokenizer* tokenizer_;
  const Model* model_;
  TokenizeOptions options_;
  bool windows_;
  std::string prompt_;
  std::optional<TextRole> role_;
};

}  // namespace bert
