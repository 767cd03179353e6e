// Checks the caller's sequences and concatenates them for the encoder, without masked tokens; the other tokens keep
// their positions.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bert/model.h"
#include "engine/tensor/ragged_batch.h"

namespace bert {

// Throws Error as Model::check does. where: the prefix of the message, "" or "sequence 3: ".
void check_sequence(const TokenSequence& sequence, const ModelConfig& config, const std::string& where);

class Batch {
 public:
  // Checks all sequences first.
  Batch(std::span<const TokenSequence> sequences, const ModelConfig& config);

  RaggedBatch view() const {
    return {ids_, type_ids_, positions_, row_starts_, places_, key_counts_, {}, global_counts_};
  }
  size_t longest() const { return longest_; }
  size_t span() const { return span_; }  // the largest last place − first place + 1 of a sequence

 private:
  std::vector<int32_t> ids_;
  std::vector<int32_t> type_ids_;
  std::vector<int32_t> positions_;
  std::vector<size_t> row_starts_;
  std::vector<int32_t> places_;
  std::vector<size_t> key_counts_;     // empty: all tokens are keys
  std::vector<size_t> global_counts_;  // empty: no token is global
  size_t longest_ = 0;
  size_t span_ = 0;
};

}  // namespace bert
