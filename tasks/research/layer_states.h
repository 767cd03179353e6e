// Shared by the experiments: the rows of one layer, the tokens that have rows, windows, and errors. Stateless; safe to
// call from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bert/model.h"
#include "tasks/analysis/rows.h"

namespace bert {

// Return the hidden states of one layer, [tokens, hidden], and their number; layer 0 is the embeddings.
size_t layer_count(const EncodedSequence& encoded);  // including the embeddings
analysis::Rows layer_rows(const EncodedSequence& encoded, size_t layer);

// Returns the indices of the tokens that are not masked.
std::vector<size_t> attended_places(const Encoding& encoding);
// Returns 1 for special tokens, by index. Throws Error unless special_tokens_mask has a number for each token or is
// empty.
std::vector<uint8_t> special_places(const Encoding& encoding);

// Returns the model's window (ModelConfig::local_distance) if it hides the first and the last of these places from each
// other; else nullopt.
std::optional<size_t> window_within(const ModelConfig& config, const std::vector<size_t>& places);

[[noreturn]] void refuse_argument(const std::string& what);  // throws Error(kInvalidArgument)

}  // namespace bert
