#include "models/sentence/lexical_weights.h"

#include <algorithm>
#include <string>
#include <utility>

#include "engine/base/quote.h"
#include "engine/base/utf8_path.h"
#include "models/encoder/finite.h"

namespace bert {
namespace {

// Returns the special tokens that the template puts around a text, the padding and the unknown token.
std::vector<int32_t> special_ids(const Tokenizer& tokenizer) {
  std::vector<int32_t> ids = tokenizer.tokenize("").ids;
  ids.push_back(tokenizer.padding_id());
  if (const std::optional<int32_t> unknown = tokenizer.unknown_id()) ids.push_back(*unknown);
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace

LexicalWeights::LexicalWeights(const LexicalModule& module, size_t hidden_size, const std::filesystem::path& directory,
                               const WeightReaderOptions& options, const Tokenizer* tokenizer)
    : dense_({module.dense}, hidden_size, directory, options),
      left_out_(tokenizer == nullptr ? std::vector<int32_t>() : special_ids(*tokenizer)) {
  if (dense_.token_width() == 1) return;
  throw Error(ErrorCode::kInvalidFile, quote_path(utf8(directory / path_of(module.dense.directory) / "config.json")) +
                                           ": out_features is " + std::to_string(dense_.token_width()) +
                                           ", expected 1: the weight of a token");
}

std::vector<SparseVector> LexicalWeights::weights(ForwardPass& pass) const {
  const Matrix of_tokens = dense_.forward_tokens(pass);
  const RaggedBatch& batch = pass.batch();
  check_finite(batch, of_tokens.view(), pass.context().pool);
  std::vector<SparseVector> vectors(batch.sequences());
  std::vector<std::pair<int32_t, float>> weights;
  for (size_t i = 0; i < vectors.size(); ++i) {
    weights.clear();
    for (size_t row = batch.row_starts[i]; row < batch.row_starts[i + 1]; ++row) {
      const float weight = *of_tokens.view().row(row);
      if (weight <= 0 || std::binary_search(left_out_.begin(), left_out_.end(), batch.ids[row])) continue;
      weights.emplace_back(batch.ids[row], weight);
    }
    std::sort(weights.begin(), weights.end());
    for (const auto& [id, weight] : weights) {
      SparseVector& vector = vectors[i];
      if (!vector.ids.empty() && vector.ids.back() == id) {
        vector.weights.back() = weight;  // the larger weight
      } else {
        vector.ids.push_back(id);
        vector.weights.push_back(weight);
      }
    }
  }
  return vectors;
}

}  // namespace bert
