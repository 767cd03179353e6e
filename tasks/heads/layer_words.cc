// Finds the words that a masked LM head predicts on every layer.
#include <algorithm>

#include "bert/explain.h"

namespace bert {

LayerWords layer_words(const Model& model, const Encoding& encoding, size_t top_k) {
  const Tokenizer& tokenizer = model.tokenizer();
  const int32_t mask = mask_token_id(tokenizer);
  const std::vector<Logits> layers = layer_logits(model, Head::kMaskedLm, model.sequence(encoding), {.only_id = mask});
  if (layers.back().rows == 0) check_masks(tokenizer, encoding, "");
  LayerWords result;
  for (const Logits& logits : layers) {
    result.words.push_back(mask_candidates(tokenizer, encoding.ids, logits, std::max<size_t>(top_k, 1)));
  }
  for (size_t i = 0; i < layers.back().rows; ++i) {
    const int32_t last[] = {result.words.back()[i].front().id};
    std::vector<double>& scores = result.last_word.emplace_back();
    for (const Logits& logits : layers) {
      scores.push_back(mask_candidates(tokenizer, encoding.ids, logits, 1, last)[i].front().score);
    }
  }
  return result;
}

}  // namespace bert
