#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "bert/tasks.h"
#include "engine/base/quote.h"
#include "tasks/heads/check_logits.h"

namespace bert {

int32_t mask_token_id(const Tokenizer& tokenizer) {
  if (const std::optional<int32_t> id = tokenizer.mask_id()) return *id;
  throw Error(ErrorCode::kNotFound,
              "the tokenizer has no mask token, expected one in its vocabulary, such as [MASK] or <mask>");
}

void check_masks(const Tokenizer& tokenizer, const Encoding& encoding, std::string_view text,
                 const std::optional<std::string_view>& pair) {
  const int32_t mask = mask_token_id(tokenizer);
  const auto masks_in = [&](const Encoding& of) { return std::count(of.ids.begin(), of.ids.end(), mask); };
  const auto read = masks_in(encoding);
  const size_t truncated = encoding.truncated_tokens;
  const TokenizeOptions whole{.only_ids = true};
  const auto all =
      truncated == 0 ? read : masks_in(pair ? tokenizer.tokenize(text, *pair, whole) : tokenizer.tokenize(text, whole));
  if (read > 0 && read == all) return;
  const std::string name = quote(tokenizer.token(mask), 60);
  if (all == 0) throw Error(ErrorCode::kInvalidText, "no mask, expected " + name + " in the text");
  throw Error(ErrorCode::kInvalidText, std::to_string(all - read) + " of " + std::to_string(all) + " masks (" + name +
                                           ") are among the " + std::to_string(truncated) +
                                           " tokens that were cut off, expected a shorter text");
}

namespace {

// Returns the text of the ids without padding, as the reference's pipeline does, even if padding fills the mask. With
// several masks, the other masks and the special tokens stay.
std::string filled_text(const Tokenizer& tokenizer, std::vector<int32_t> ids, bool is_only_mask) {
  std::erase(ids, tokenizer.padding_id());
  return tokenizer.decode(ids, is_only_mask);
}

}  // namespace

std::vector<std::vector<MaskCandidate>> mask_candidates(const Tokenizer& tokenizer, std::span<const int32_t> ids,
                                                        const Logits& logits, size_t top_k,
                                                        std::span<const int32_t> targets) {
  const int32_t mask = mask_token_id(tokenizer);
  std::vector<size_t> places;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == mask) places.push_back(i);
  }
  check_logits(logits, places.size(), logits.outputs, "masks");
  for (const int32_t target : targets) {
    if (target >= 0 && static_cast<size_t>(target) < logits.outputs) continue;
    throw Error(ErrorCode::kInvalidArgument,
                "the target " + std::to_string(target) + ", expected an id below " + std::to_string(logits.outputs));
  }
  std::vector<int32_t> competing(targets.begin(), targets.end());
  if (competing.empty()) {
    competing.resize(logits.outputs);
    std::iota(competing.begin(), competing.end(), 0);
  }
  const size_t count = std::min(top_k, competing.size());
  std::vector<std::vector<MaskCandidate>> all;
  for (size_t row = 0; row < places.size(); ++row) {
    const std::vector<double> scores = softmax(std::span(logits.values).subspan(row * logits.outputs, logits.outputs));
    std::partial_sort(competing.begin(), competing.begin() + static_cast<std::ptrdiff_t>(count), competing.end(),
                      [&](int32_t a, int32_t b) {
                        const double of_a = scores[static_cast<size_t>(a)], of_b = scores[static_cast<size_t>(b)];
                        return of_a != of_b ? of_a > of_b : a < b;
                      });
    std::vector<MaskCandidate> candidates;
    std::vector<int32_t> filled(ids.begin(), ids.end());
    for (size_t i = 0; i < count; ++i) {
      const int32_t id = filled[places[row]] = competing[i];
      candidates.push_back({.token = std::string(tokenizer.token(id)),
                            .id = id,
                            .score = scores[static_cast<size_t>(id)],
                            .sequence = filled_text(tokenizer, filled, places.size() == 1)});
    }
    all.push_back(std::move(candidates));
  }
  return all;
}

}  // namespace bert
