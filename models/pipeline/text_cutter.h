// From one item to its sequences of tokens: the text, its windows, or the given ids. Immutable; safe to use from many
// threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bert/text_pipeline.h"
#include "models/model/label_request.h"

namespace bert {

// The number of unknown tokens in the encoding.
size_t count_unknown(const Tokenizer& tokenizer, const Encoding& encoding);

class TextCutter {
 public:
  // tokenizer: null if the model has none; a text is then an error, and ids are not. model: null if texts are only
  // tokenised. role: texts are tokenised as a late-interaction model's of this role, or of the item's own. labels:
  // texts are tokenised with these; null: with none.
  TextCutter(const Tokenizer* tokenizer, const Model* model, const TextOptions& options, std::string prompt,
             std::optional<TextRole> role = {}, const PreparedLabels* labels = nullptr);

  // The item's sequences, at least one; a failed sequence is replaced by its error.
  std::vector<TextResult> cut(TextItem item, size_t index) const;

  // As input of the encoder; a view of the result.
  TokenSequence sequence(const TextResult& result) const;

 private:
  std::vector<TextResult> tokenize(TextItem& item) const;
  std::vector<Encoding> encode_windows(const TextItem& item) const;
  void check(TextResult& result) const;

  const Tokenizer& tokenizer() const { return tokenizer_ != nullptr ? *tokenizer_ : model_->tokenizer(); }

  const Tokenizer* tokenizer_;
  const Model* model_;
  TokenizeOptions options_;
  bool windows_;
  std::string prompt_;
  std::optional<TextRole> role_;
  const PreparedLabels* labels_;
};

}  // namespace bert
