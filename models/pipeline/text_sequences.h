// Makes an item's sequences by the rules of most kinds of output: ids are used as they are, the prompt is put before a
// text, pairs are allowed, and long texts are divided into windows. Immutable; safe to use from many threads.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bert/tokenizer.h"
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

// Makes windows of a text that is inside a sequence: a document beside a query in a chat, or between the markers of a
// late-interaction model. Returns the text, or parts of it, in order, that share options.stride tokens and whose
// sequences have at most options.max_length tokens; 0: no limit. size_of: returns the tokens of the sequence around a
// part. Throws Error(kInvalidArgument) if there is no room, and for more than options.max_windows parts.
std::vector<std::string_view> document_windows(const Tokenizer& tokenizer, std::string_view text,
                                               const TokenizeOptions& options,
                                               const std::function<size_t(std::string_view)>& size_of);

}  // namespace bert
