#include "tasks/research/layer_states.h"

#include <algorithm>
#include <span>

#include "bert/error.h"

namespace bert {

size_t layer_count(const EncodedSequence& encoded) {
  return encoded.hidden_states.size() / (encoded.tokens * encoded.hidden);
}

analysis::Rows layer_rows(const EncodedSequence& encoded, size_t layer) {
  const size_t size = encoded.tokens * encoded.hidden;
  return {std::span<const float>(encoded.hidden_states).subspan(layer * size, size), encoded.hidden};
}

std::vector<size_t> attended_places(const Encoding& encoding) {
  std::vector<size_t> places;
  for (size_t t = 0; t < encoding.size(); ++t) {
    if (encoding.attention_mask.empty() || encoding.attention_mask[t] != 0) places.push_back(t);
  }
  return places;
}

std::vector<uint8_t> special_places(const Encoding& encoding) {
  if (encoding.special_tokens_mask.empty()) return std::vector<uint8_t>(encoding.size());
  if (encoding.special_tokens_mask.size() != encoding.size()) {
    refuse_argument(std::to_string(encoding.special_tokens_mask.size()) + " numbers in special_tokens_mask, expected " +
                    std::to_string(encoding.size()) + ", one for each id");
  }
  return encoding.special_tokens_mask;
}

std::optional<size_t> window_within(const ModelConfig& config, const std::vector<size_t>& places) {
  const bool has_local_layers = std::count(config.local_layers.begin(), config.local_layers.end(), true) > 0;
  if (!has_local_layers || places.back() - places.front() <= config.local_distance) return std::nullopt;
  return config.local_distance;
}

void refuse_argument(const std::string& what) { throw Error(ErrorCode::kInvalidArgument, what); }

}  // namespace bert
