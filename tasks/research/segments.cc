// Compares a pair with its own segments, with swapped segments, and with one segment for all tokens: how far the
// outputs move.
#include <string>

#include "bert/experiments.h"
#include "engine/base/joined.h"
#include "tasks/research/layer_states.h"

namespace bert {
namespace {

using analysis::Rows;

void measure_vectors(const Model& model, const TokenSequence& sequence, SegmentComparison& result) {
  TokenSequence with_a = sequence, with_b = sequence;
  with_a.type_ids = result.all_a.type_ids;
  with_b.type_ids = result.all_b.type_ids;
  const EmbeddingParts as_a = embedding_parts(model, with_a), as_b = embedding_parts(model, with_b);
  // The segment vectors that are added to the first token.
  const std::span<const float> a = Rows{as_a.segment, as_a.hidden}[0], b = Rows{as_b.segment, as_b.hidden}[0];
  result.norm_a = analysis::norm(a);
  result.norm_b = analysis::norm(b);
  result.cosine = analysis::cosine(a, b);
  std::vector<double> words;
  for (size_t t = 0; t < as_a.tokens; ++t) words.push_back(analysis::norm(Rows{as_a.word, as_a.hidden}[t]));
  result.word_norm = analysis::mean(words);
}

void measure_effect(const EncodedSequence& original, const EncodedSequence& other, SegmentEffect& effect) {
  const size_t last = layer_count(original) - 1;
  for (size_t layer = 0; layer <= last; ++layer) {
    effect.moved = analysis::relative_distances(layer_rows(original, layer), layer_rows(other, layer));
    effect.moved_by_layer.push_back(analysis::mean(effect.moved));
  }
  effect.embedding_cosine =
      analysis::cosine(analysis::mean_row(layer_rows(original, last)), analysis::mean_row(layer_rows(other, last)));
}

}  // namespace

SegmentComparison compare_segments(const Model& model, const TokenSequence& sequence) {
  if (model.config().type_vocab_size < 2) {
    throw Error(ErrorCode::kNotFound, "the model has no segments: its table has " +
                                          number_of(model.config().type_vocab_size, "row") + ", expected 2 or more");
  }
  model.check(sequence);
  const size_t count = sequence.ids.size();
  std::vector<int32_t> type_ids(sequence.type_ids.begin(), sequence.type_ids.end());
  type_ids.resize(count);
  SegmentComparison result;
  for (const int32_t type : type_ids) result.swapped.type_ids.push_back(1 - type);
  result.all_a.type_ids.assign(count, 0);
  result.all_b.type_ids.assign(count, 1);
  SegmentEffect* const effects[] = {&result.swapped, &result.all_a, &result.all_b};
  std::vector<TokenSequence> batch = {sequence};
  for (const SegmentEffect* effect : effects) {
    batch.push_back(sequence);
    batch.back().type_ids = effect->type_ids;
  }
  const std::vector<EncodedSequence> encoded = model.encode(batch, {.hidden_states = true});
  for (size_t i = 0; i < 3; ++i) measure_effect(encoded.front(), encoded[i + 1], *effects[i]);
  measure_vectors(model, sequence, result);
  return result;
}

}  // namespace bert
