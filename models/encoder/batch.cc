#include "models/encoder/batch.h"

#include <algorithm>

#include "engine/base/joined.h"
#include "models/config/positions.h"

namespace bert {
namespace {

[[noreturn]] void refuse(const std::string& where, const std::string& what) {
  throw Error(ErrorCode::kInvalidArgument, where + what);
}

bool is_kept(const TokenSequence& sequence, size_t token) {
  return sequence.attention_mask.empty() || sequence.attention_mask[token] != 0;
}

void check_size(size_t size, size_t tokens, const char* what, const std::string& where) {
  if (size == 0 || size == tokens) return;
  refuse(where,
         std::to_string(size) + " " + what + " for " + std::to_string(tokens) + " ids, expected as many or none");
}

void check_range(std::span<const int32_t> values, size_t limit, const char* what, const char* table,
                 const std::string& where) {
  const auto is_outside = [&](int32_t value) { return value < 0 || static_cast<size_t>(value) >= limit; };
  const auto found = std::find_if(values.begin(), values.end(), is_outside);
  if (found == values.end()) return;
  refuse(where, "token " + std::to_string(found - values.begin()) + " has " + what + " " + std::to_string(*found) +
                    ", expected 0 to " + std::to_string(limit - 1) + " (the model's " + table + ")");
}

// Rejects unattended tokens where they are not supported: attention with a window is undefined for a token that sees no
// other, and relative positions need a table of all tokens by all tokens.
void check_unattended(const TokenSequence& sequence, const ModelConfig& config, const std::string& where) {
  const std::string count = number_of(sequence.unattended, "token") + " that no token attends to";
  if (!sequence.attention_mask.empty()) refuse(where, count + " and an attention mask, expected one of them");
  if (sequence.unattended >= sequence.ids.size()) {
    refuse(where, count + " of " + std::to_string(sequence.ids.size()) + ", expected fewer");
  }
  const ScoreDistances distances = position_scheme(config).distances;
  if (distances != ScoreDistances::kNone && distances != ScoreDistances::kRotary) {
    throw Error(ErrorCode::kUnsupported, where + count + " are not supported with positions " +
                                             config.position_embedding_type + ", expected absolute or rotary ones");
  }
  if (config.causal_attention) {
    throw Error(ErrorCode::kUnsupported, where + count + " are not supported where attention is causal, expected none");
  }
  if (!config.local_layers.empty() && sequence.unattended > config.local_distance) {
    throw Error(ErrorCode::kUnsupported, where + count + " are not supported, expected at most " +
                                             std::to_string(config.local_distance) +
                                             ", the distance that the model's local attention sees");
  }
}

// Returns the number of global tokens, the first unmasked ones. A text without a separator has none before the
// separator.
size_t global_count(const TokenSequence& sequence, const ModelConfig& config) {
  size_t end = 1;
  if (config.global_tokens == GlobalTokens::kBeforeSeparator) {
    const auto separator = std::find(sequence.ids.begin(), sequence.ids.end(), config.separator_id);
    end = separator == sequence.ids.end() ? 0 : static_cast<size_t>(separator - sequence.ids.begin());
  }
  size_t count = 0;
  for (size_t i = 0; i < end; ++i) count += is_kept(sequence, i) ? 1 : 0;
  return count;
}

}  // namespace

void check_sequence(const TokenSequence& sequence, const ModelConfig& config, const std::string& where) {
  const size_t tokens = sequence.ids.size();
  const bool may_be_empty = config.num_hidden_layers == 0;  // a static model: the mean of no rows is zero
  if (tokens == 0 && may_be_empty) return;
  if (tokens == 0) refuse(where, "no ids, expected at least one");
  check_size(sequence.type_ids.size(), tokens, "type ids", where);
  check_size(sequence.attention_mask.size(), tokens, "attention mask values", where);
  check_range(sequence.ids, config.vocab_size, "id", "vocab_size", where);
  // Without a type table, all tokens have type 0.
  check_range(sequence.type_ids, std::max<size_t>(config.type_vocab_size, 1), "type id", "type_vocab_size", where);
  const auto mask = sequence.attention_mask;
  const auto wrong = std::find_if(mask.begin(), mask.end(), [](uint8_t value) { return value > 1; });
  if (wrong != mask.end()) {
    refuse(where, "token " + std::to_string(wrong - mask.begin()) + " has attention mask " + std::to_string(*wrong) +
                      ", expected 0 or 1");
  }
  const bool any_kept = mask.empty() || std::find(mask.begin(), mask.end(), 1) != mask.end();
  if (!any_kept) refuse(where, "all tokens are masked, expected at least one that is not");
  if (sequence.unattended > 0) check_unattended(sequence, config, where);
  if (config.longest_full_attention > 0 && tokens > config.longest_full_attention) {
    throw Error(ErrorCode::kUnsupported, where + std::to_string(tokens) +
                                             " tokens are not supported, expected at most " +
                                             std::to_string(config.longest_full_attention) +
                                             ": attention_type block_sparse of config.json counts from there on");
  }
  const std::optional<size_t> limit = longest_sequence(config);
  if (limit && tokens > *limit) {
    refuse(where, number_of(tokens, "token") + ", expected at most " + std::to_string(*limit) +
                      (*limit == config.max_position_embeddings
                           ? " (the model's max_position_embeddings)"
                           : " (the model's max_position_embeddings " + std::to_string(config.max_position_embeddings) +
                                 ", which begin at " + std::to_string(config.max_position_embeddings - *limit) + ")"));
  }
}

Batch::Batch(std::span<const TokenSequence> sequences, const ModelConfig& config) {
  if (sequences.empty()) refuse("", "no sequences, expected at least one");
  size_t tokens = 0;
  for (size_t i = 0; i < sequences.size(); ++i) {
    const std::string where = sequences.size() == 1 ? "" : "sequence " + std::to_string(i) + ": ";
    check_sequence(sequences[i], config, where);
    tokens += sequences[i].ids.size();
  }
  ids_.reserve(tokens);
  type_ids_.reserve(tokens);
  positions_.reserve(tokens);
  places_.reserve(tokens);
  row_starts_.reserve(sequences.size() + 1);
  row_starts_.push_back(0);
  const bool any_unattended =
      std::any_of(sequences.begin(), sequences.end(), [](const TokenSequence& one) { return one.unattended > 0; });
  const bool skips = position_scheme(config).added == AddedPositions::kTable && config.position_padding_id.has_value();
  const int32_t padding = config.position_padding_id.value_or(0);
  for (const TokenSequence& sequence : sequences) {
    int32_t counted = 0;  // tokens that are not padding, including masked tokens
    for (size_t i = 0; i < sequence.ids.size(); ++i) {
      const bool is_counted = skips && sequence.ids[i] != padding;
      if (is_counted) ++counted;
      if (!is_kept(sequence, i)) continue;
      ids_.push_back(sequence.ids[i]);
      type_ids_.push_back(sequence.type_ids.empty() ? 0 : sequence.type_ids[i]);
      const auto place = static_cast<int32_t>(i);
      places_.push_back(place);
      positions_.push_back(skips ? padding + (is_counted ? counted : 0) : place);
    }
    if (places_.size() > row_starts_.back()) {
      span_ = std::max(span_, static_cast<size_t>(places_.back() - places_[row_starts_.back()]) + 1);
    }
    row_starts_.push_back(ids_.size());
    if (config.global_tokens != GlobalTokens::kNone) global_counts_.push_back(global_count(sequence, config));
    if (any_unattended) key_counts_.push_back(ids_.size() - row_starts_.end()[-2] - sequence.unattended);
    longest_ = std::max(longest_, row_starts_.back() - row_starts_[row_starts_.size() - 2]);
  }
}

}  // namespace bert
