#include "python/engine/result.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <utility>

namespace bert::python {
namespace nb = nanobind;
namespace {

// An array of the first [shape] of a requested output; None if it is empty.
nb::object array_or_none(std::vector<float>& values, std::initializer_list<size_t> shape) {
  if (values.empty()) return nb::none();
  return nb::cast(to_array(std::move(values), shape));
}

template <typename Span>
nb::dict with_span(nb::dict dict, const Span& span) {
  dict["start"] = span.code_point_start;
  dict["end"] = span.code_point_end;
  return dict;
}

nb::list entity_list(const std::vector<Entity>& entities) {
  nb::list list;
  for (const Entity& entity : entities) {
    nb::dict dict;
    dict["entity"] = entity.entity;
    dict["score"] = entity.score;
    dict["word"] = entity.word;
    list.append(with_span(dict, entity));
  }
  return list;
}

}  // namespace

Result::Result(nb::object model, std::vector<TextResult> windows)
    : model_(std::move(model)), windows_(std::move(windows)) {}

size_t Result::truncated_tokens() const {
  size_t sum = 0;
  for (const TextResult& window : windows_) sum += window.encoding.truncated_tokens;
  return sum;
}

size_t Result::unknown_tokens() const {
  size_t sum = 0;
  for (const TextResult& window : windows_) sum += window.unknown_tokens;
  return sum;
}

std::vector<std::string> Result::tokens() const {
  std::vector<std::string> tokens;
  for (const int32_t id : first().encoding.ids) tokens.emplace_back(model().tokenizer().token(id));
  return tokens;
}

Array<int32_t> Result::ids() const { return to_array(first().encoding.ids, {first().encoding.size()}); }
Array<int32_t> Result::type_ids() const { return to_array(first().encoding.type_ids, {first().encoding.size()}); }
Array<uint8_t> Result::special_tokens_mask() const {
  return to_array(first().encoding.special_tokens_mask, {first().encoding.size()});
}
Array<int32_t> Result::word_ids() const { return to_array(first().encoding.word_ids, {first().encoding.size()}); }

Array<int64_t> Result::offsets() const {
  std::vector<int64_t> values;
  for (const Offset& offset : first().encoding.code_point_offsets) {
    values.push_back(static_cast<int64_t>(offset.begin));
    values.push_back(static_cast<int64_t>(offset.end));
  }
  return to_array(std::move(values), {first().encoding.size(), 2});
}

Array<float> Result::last_hidden_state() {
  EncodedSequence& encoded = windows_.front().encoded;
  return to_array(std::exchange(encoded.last_hidden_state, {}), {encoded.tokens, encoded.hidden});
}

nb::object Result::pooler_output() {
  EncodedSequence& encoded = windows_.front().encoded;
  return array_or_none(encoded.pooler_output, {encoded.hidden});
}

nb::object Result::hidden_states() {
  EncodedSequence& encoded = windows_.front().encoded;
  if (encoded.hidden_states.empty()) return nb::none();
  const size_t layers = encoded.hidden_states.size() / (encoded.tokens * encoded.hidden);
  return array_or_none(encoded.hidden_states, {layers, encoded.tokens, encoded.hidden});
}

nb::object Result::attentions() {
  EncodedSequence& encoded = windows_.front().encoded;
  const ModelConfig& config = model().config();
  return array_or_none(encoded.attentions,
                       {config.attention_layers(), config.num_attention_heads, encoded.tokens, encoded.tokens});
}

std::vector<TokenLogits> Result::token_logits() const {
  std::vector<TokenLogits> all;
  for (const TextResult& window : windows_) all.push_back({&window.encoding, &window.logits});
  return all;
}

nb::list label_list(const std::vector<LabelScore>& labels) {
  nb::list list;
  for (const LabelScore& label : labels) {
    nb::dict dict;
    dict["label"] = label.label;
    dict["score"] = label.score;
    list.append(dict);
  }
  return list;
}

nb::list Result::labels() const { return label_list(label_scores(model().config(), first().logits)); }

nb::list Result::entities(Aggregation aggregation) const {
  return entity_list(find_entities(model(), first().text, token_logits(), aggregation));
}

nb::list Result::labelled_entities() const { return entity_list(first().entities); }

nb::list Result::class_scores() const { return label_list(first().label_scores); }

nb::list Result::answers(const AnswerOptions& options) const {
  nb::list list;
  for (const Answer& answer : find_answers(first().pair, token_logits(), options)) {
    nb::dict dict;
    dict["answer"] = answer.answer;
    dict["score"] = answer.score;
    list.append(with_span(dict, answer));
  }
  return list;
}

nb::list Result::masks(size_t top_k, const std::vector<std::string>& targets) const {
  const Tokenizer& tokenizer = model().tokenizer();
  if (first().logits.rows == 0) {
    throw Error(ErrorCode::kInvalidText,
                "no mask, expected '" + std::string(tokenizer.token(mask_token_id(tokenizer))) + "' in the text");
  }
  std::vector<int32_t> ids;
  for (const std::string& target : targets) {
    const std::optional<int32_t> id = tokenizer.id(target);
    if (!id) throw Error(ErrorCode::kInvalidArgument, "target '" + target + "': not a token of the model's vocabulary");
    if (std::find(ids.begin(), ids.end(), *id) == ids.end()) ids.push_back(*id);
  }
  nb::list masks;
  for (const auto& candidates : mask_candidates(tokenizer, first().encoding.ids, first().logits, top_k, ids)) {
    nb::list list;
    for (const MaskCandidate& candidate : candidates) {
      nb::dict dict;
      dict["token"] = candidate.token;
      dict["id"] = candidate.id;
      dict["score"] = candidate.score;
      dict["sequence"] = candidate.sequence;
      list.append(dict);
    }
    masks.append(list);
  }
  return masks;
}

float Result::logit() const { return first().logits.values.at(0); }
const TextVectors& Result::vectors() const { return first().vectors; }

double Result::relevance() const { return bert::relevance(model().config(), logit()).score; }

Array<float> Result::logits() const {
  const Logits& logits = first().logits;
  return to_array(logits.values, {logits.rows, logits.outputs});
}

Array<int32_t> Result::sparse_ids() const {
  return to_array(first().vectors.sparse.ids, {first().vectors.sparse.ids.size()});
}
Array<float> Result::sparse_weights() const {
  return to_array(first().vectors.sparse.weights, {first().vectors.sparse.weights.size()});
}

Array<float> Result::embedding() const { return to_array(first().vectors.dense, {first().vectors.dense.size()}); }
Array<float> Result::token_vectors() const {
  const TokenVectors& vectors = first().vectors.tokens;
  return to_array(vectors.values, {vectors.tokens.size(), vectors.size});
}

Array<float> Result::chunk_vectors() const {
  const TextVectors& vectors = first().vectors;
  const size_t chunks = vectors.chunks.size();
  return to_array(vectors.dense, {chunks, chunks == 0 ? 0 : vectors.dense.size() / chunks});
}

Array<int64_t> Result::chunk_spans() const {
  std::vector<int64_t> spans;
  for (const TextChunk& chunk : first().vectors.chunks) {
    spans.push_back(static_cast<int64_t>(chunk.code_points.begin));
    spans.push_back(static_cast<int64_t>(chunk.code_points.end));
  }
  return to_array(std::move(spans), {first().vectors.chunks.size(), 2});
}

}  // namespace bert::python
