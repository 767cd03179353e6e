// A model's heads, and the logits that they give. Plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "bert/export.h"

namespace bert {

// Task heads. kMaskedLm, kTokenClassification, kQuestionAnswering and kReplacedTokens return a row for each token that
// is not masked; the other heads return one row.
enum class Head {
  kMaskedLm,                // [tokens, vocab]
  kSequenceClassification,  // [1, labels]
  kTokenClassification,     // [tokens, labels]
  kQuestionAnswering,       // [tokens, 2]: start and end
  kNextSentence,            // [1, 2]: the second text is the next one; it is not
  kMultipleChoice,          // [1, 1]: for one choice
  kReplacedTokens,          // [tokens, 1]
};

struct LogitsOptions {
  std::optional<int32_t> only_id = {};  // for heads with one row per token: only the rows of tokens with this id
  bool operator==(const LogitsOptions&) const = default;
};

// A head's logits for one sequence.
struct Logits {
  size_t rows = 0;
  size_t outputs = 0;
  std::vector<float> values;  // [rows, outputs]
};

// The size of a sequence's logits if LogitsOptions are the defaults.
struct LogitsSizes {
  size_t rows = 0;
  size_t outputs = 0;
};

BERT_API std::string_view name(Head head);  // "masked LM", "sequence classification", …

}  // namespace bert
