// Makes an item's sequences by the rules of most kinds of output: ids are used as they are, the prompt is put before a
// text, pairs are allowed, and long texts are divided into windows. Immutable; safe to use from many threads.
#pragma once

#include <string>
#include <vector>

#include "models/pipeline/computation.h"

namespace bert {

class TextSequences {
 public:
  TextSequences(const Model& model, const TextRules& rules, std::string prompt = "");
  TextSequences(const Tokenizer& tokenizer, const TextRules& rules);

  // Returns at least one sequence. Throws Error.
  std::vector<TextResult> of(TextItem& item) const;

 private:
  void check_words(const TextItem& item) const;
  std::vector<Encoding> windows_of(const TextItem& item) const;
  std::vector<Encoding> messages_of(const TextItem& item) const;
  const Tokenizer& tokenizer() const { return tokenizer_ != nullptr ? *tokenizer_ : model_->tokenizer(); }

  const Model* model_ = nullptr;
  const Tokenizer* tokenizer_ = nullptr;  // null: the model's, or the error for its absence
  TokenizeOptions options_;
  bool windows_, fits_stride_;
  std::string prompt_;
};

}  // namespace bert
