// Checks that a head's outputs have the number of rows and columns that a task reads, and reads labels and scores from
// them.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "bert/tasks.h"

namespace bert {

// Returns the index of the highest score, of equal ones the first. Requires at least one.
inline size_t best_of(const std::vector<double>& scores) {
  return static_cast<size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

// Throws Error(kInvalidArgument) unless the logits are [rows, outputs]. of: what the rows are, "tokens".
inline void check_logits(const Logits& logits, size_t rows, size_t outputs, const char* of) {
  if (logits.rows == rows && logits.outputs == outputs && logits.values.size() == rows * outputs) return;
  const auto shape = [](size_t first, size_t second) {
    return "[" + std::to_string(first) + ", " + std::to_string(second) + "]";
  };
  throw Error(ErrorCode::kInvalidArgument, std::to_string(logits.values.size()) + " outputs as " +
                                               shape(logits.rows, logits.outputs) + ", expected " +
                                               shape(rows, outputs) + " for " + std::to_string(rows) + " " + of);
}

// Returns the label of a classification head's output. Throws Error(kInvalidFile) if the model's files have none.
inline const std::string& label_of(const ModelConfig& config, size_t output) {
  if (config.labels[output]) return *config.labels[output];
  throw Error(ErrorCode::kInvalidFile, "'config.json': id2label: no label for " + std::to_string(output) +
                                           ", expected one for each of the head's " +
                                           std::to_string(config.labels.size()) + " outputs, from 0");
}

// Returns the scores of label_scores, in the order of the outputs.
std::vector<double> output_scores(const ModelConfig& config, const Logits& logits);

// Throws Error(kInvalidArgument) unless each token has an offset, a word, a text and a kind.
inline void check_encoding(const Encoding& encoding) {
  const auto check = [&](size_t count, const char* what) {
    if (count == encoding.size()) return;
    throw Error(ErrorCode::kInvalidArgument, std::to_string(count) + " " + what + " for " +
                                                 std::to_string(encoding.size()) + " tokens, expected as many");
  };
  check(encoding.offsets.size(), "offsets");
  check(encoding.word_ids.size(), "word ids");
  check(encoding.sequence_ids.size(), "sequence ids");
  check(encoding.special_tokens_mask.size(), "special tokens mask values");
}

// Throws Error(kInvalidArgument) for a token whose offset is outside its text.
inline void check_offset(const Encoding& encoding, size_t token, size_t text_bytes) {
  const Offset& offset = encoding.offsets[token];
  if (offset.begin <= offset.end && offset.end <= text_bytes) return;
  throw Error(ErrorCode::kInvalidArgument, "token " + std::to_string(token) + " is said to be bytes " +
                                               std::to_string(offset.begin) + " to " + std::to_string(offset.end) +
                                               " of the text, expected them in its " + std::to_string(text_bytes));
}

}  // namespace bert
