#include "python/module/result.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bert/offsets.h"
#include "python/module/arrays.h"
#include "python/module/words.h"

namespace bert::python {
namespace nb = nanobind;
using namespace nb::literals;
namespace {

// An array of the first [shape] of a requested output; None if it is empty.
nb::object array_or_none(std::vector<float>& values, std::initializer_list<size_t> shape) {
  if (values.empty()) return nb::none();
  return nb::cast(to_array(std::move(values), shape));
}

OffsetUnit unit_of(const std::string& name) {
  static const std::map<std::string, OffsetUnit> units = {
      {"bytes", OffsetUnit::kBytes}, {"code_points", OffsetUnit::kCodePoints}, {"utf16", OffsetUnit::kUtf16}};
  return chosen(units, name, "offsets");
}

template <typename Span>
nb::dict with_span(nb::dict dict, const Span& span, const OffsetUnits& units) {
  dict["start"] = units.before(span.start);
  dict["end"] = units.before(span.end);
  return dict;
}

nb::list entity_list(const std::vector<Entity>& entities, const OffsetUnits& units) {
  nb::list list;
  for (const Entity& entity : entities) {
    nb::dict dict;
    dict["entity"] = entity.entity;
    dict["score"] = entity.score;
    dict["word"] = entity.word;
    list.append(with_span(dict, entity, units));
  }
  return list;
}

size_t truncated_tokens(const Result& result) {
  size_t sum = 0;
  for (const TextResult& window : result.windows()) sum += window.encoding.truncated_tokens;
  return sum;
}

size_t unknown_tokens(const Result& result) {
  size_t sum = 0;
  for (const TextResult& window : result.windows()) sum += window.unknown_tokens;
  return sum;
}

// The tokens of the text, or of its first window.
std::vector<std::string> tokens(const Result& result) {
  std::vector<std::string> tokens;
  for (const int32_t id : result.first().encoding.ids) tokens.emplace_back(result.model().tokenizer().token(id));
  return tokens;
}

Array<int32_t> ids(const Result& result) {
  return to_array(result.first().encoding.ids, {result.first().encoding.size()});
}
Array<int32_t> type_ids(const Result& result) {
  return to_array(result.first().encoding.type_ids, {result.first().encoding.size()});
}
Array<uint8_t> special_tokens_mask(const Result& result) {
  return to_array(result.first().encoding.special_tokens_mask, {result.first().encoding.size()});
}
Array<int32_t> word_ids(const Result& result) {
  return to_array(result.first().encoding.word_ids, {result.first().encoding.size()});
}

Array<int64_t> offsets(const Result& result, const std::string& unit) {
  const Encoding& encoding = result.first().encoding;
  const OffsetUnits of_text(result.first().text, unit_of(unit)), of_pair(result.first().pair, unit_of(unit));
  std::vector<OffsetUnits> of_words;
  if (result.first().words) {
    for (const std::string& word : *result.first().words) of_words.emplace_back(word, unit_of(unit));
  }
  std::vector<int64_t> values;
  for (size_t i = 0; i < encoding.size(); ++i) {
    const int32_t word = encoding.word_ids[i];
    const OffsetUnits& units = word >= 0 && !of_words.empty()  ? of_words[static_cast<size_t>(word)]
                               : encoding.sequence_ids[i] == 1 ? of_pair
                                                               : of_text;
    values.push_back(static_cast<int64_t>(units.before(encoding.offsets[i].begin)));
    values.push_back(static_cast<int64_t>(units.before(encoding.offsets[i].end)));
  }
  return to_array(std::move(values), {encoding.size(), 2});
}

// The encoder's outputs, each once: the memory becomes the array's. None if they were not requested, or if the model
// has no pooler.
Array<float> last_hidden_state(Result& result) {
  EncodedSequence& encoded = result.first().encoded;
  return to_array(std::exchange(encoded.last_hidden_state, {}), {encoded.tokens, encoded.hidden});
}

nb::object pooler_output(Result& result) {
  EncodedSequence& encoded = result.first().encoded;
  return array_or_none(encoded.pooler_output, {encoded.hidden});
}

nb::object hidden_states(Result& result) {
  EncodedSequence& encoded = result.first().encoded;
  if (encoded.hidden_states.empty()) return nb::none();
  const size_t layers = encoded.hidden_states.size() / (encoded.tokens * encoded.hidden);
  return array_or_none(encoded.hidden_states, {layers, encoded.tokens, encoded.hidden});
}

nb::object attentions(Result& result) {
  EncodedSequence& encoded = result.first().encoded;
  const ModelConfig& config = result.model().config();
  return array_or_none(encoded.attentions,
                       {config.attention_layers(), config.num_attention_heads, encoded.tokens, encoded.tokens});
}

std::vector<TokenLogits> token_logits(const Result& result) {
  std::vector<TokenLogits> all;
  for (const TextResult& window : result.windows()) all.push_back({&window.encoding, &window.logits});
  return all;
}

// Lists of dicts, as in python/bert_infer/types.py.
nb::list labels(const Result& result, const std::string& window_scores) {
  std::vector<std::vector<LabelScore>> scores;
  for (const TextResult& window : result.windows()) {
    scores.push_back(label_scores(result.model().config(), window.logits));
  }
  return label_list(merge_windows(scores, window_scores_named(window_scores)));
}

// How labels become entities.
struct Grouping {
  Aggregation aggregation;
  TagScheme scheme;
};

nb::list entities(const Result& result, const Grouping& how, const std::string& unit) {
  const std::string& text = result.first().text;
  return entity_list(find_entities(result.model(), text, token_logits(result), how.aggregation, how.scheme),
                     {text, unit_of(unit)});
}

nb::list labelled_entities(const Result& result, const std::string& unit) {
  std::vector<WindowEntities> windows;
  for (const TextResult& window : result.windows()) windows.push_back({window.place(), window.entities});
  return entity_list(merge_windows(std::move(windows)), {result.first().text, unit_of(unit)});
}

// A dict for each word; label and score are None for a word that was cut off.
nb::list word_labels(const Result& result, Aggregation aggregation) {
  const std::vector<std::string>& words = result.first().words.value();
  const std::vector<TokenLogits> logits = token_logits(result);
  nb::list list;
  for (const WordLabel& label : label_words(result.model(), logits[0], words.size(), aggregation)) {
    nb::dict dict;
    dict["word"] = words[nb::len(list)];
    dict["label"] = label.label.empty() ? nb::none() : nb::cast(label.label);
    dict["score"] = label.label.empty() ? nb::none() : nb::cast(label.score);
    list.append(dict);
  }
  return list;
}

nb::list class_scores(const Result& result, const std::string& window_scores) {
  std::vector<std::vector<LabelScore>> scores;
  for (const TextResult& window : result.windows()) scores.push_back(window.label_scores);
  return label_list(merge_windows(scores, window_scores_named(window_scores)));
}

nb::list answers(const Result& result, const AnswerOptions& options, const std::string& unit) {
  const std::string& context = result.first().pair;
  const OffsetUnits units(context, unit_of(unit));
  nb::list list;
  for (const Answer& answer : find_answers(context, token_logits(result), options)) {
    nb::dict dict;
    dict["answer"] = answer.answer;
    dict["score"] = answer.score;
    list.append(with_span(dict, answer, units));
  }
  return list;
}

nb::list masks(const Result& result, size_t top_k, const std::vector<std::string>& targets) {
  const Tokenizer& tokenizer = result.model().tokenizer();
  const auto& first = result.first();
  check_masks(tokenizer, first.encoding, first.text, first.pair.empty() ? std::nullopt : std::optional(first.pair));
  std::vector<int32_t> ids;
  for (const std::string& target : targets) {
    const std::optional<int32_t> id = tokenizer.id(target);
    if (!id) throw Error(ErrorCode::kInvalidArgument, "target '" + target + "': not a token of the model's vocabulary");
    if (std::find(ids.begin(), ids.end(), *id) == ids.end()) ids.push_back(*id);
  }
  nb::list masks;
  for (const auto& candidates :
       mask_candidates(tokenizer, result.first().encoding.ids, result.first().logits, top_k, ids)) {
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

// The output of a classifier of one label, after the model's activation.
double relevance(const Result& result) { return bert::relevance(result.model().config(), result.first().logits).score; }

// [rows, outputs] of the text, or of its first window.
Array<float> logits(const Result& result) {
  const Logits& logits = result.first().logits;
  return to_array(logits.values, {logits.rows, logits.outputs});
}

Array<int32_t> sparse_ids(const Result& result) {
  return to_array(result.first().vectors.sparse.ids, {result.first().vectors.sparse.ids.size()});
}
Array<float> sparse_weights(const Result& result) {
  return to_array(result.first().vectors.sparse.weights, {result.first().vectors.sparse.weights.size()});
}

Array<float> embedding(const Result& result) {
  return to_array(result.first().vectors.dense, {result.first().vectors.dense.size()});
}
Array<float> token_vectors(const Result& result) {
  const TokenVectors& vectors = result.first().vectors.tokens;
  return to_array(vectors.values, {vectors.tokens.size(), vectors.size});
}

Array<float> chunk_vectors(const Result& result) {
  const TextVectors& vectors = result.first().vectors;
  const size_t chunks = vectors.chunks.size();
  return to_array(vectors.dense, {chunks, chunks == 0 ? 0 : vectors.dense.size() / chunks});
}

Array<int64_t> chunk_spans(const Result& result) {
  std::vector<int64_t> spans;
  for (const TextChunk& chunk : result.first().vectors.chunks) {
    spans.push_back(static_cast<int64_t>(chunk.code_points.begin));
    spans.push_back(static_cast<int64_t>(chunk.code_points.end));
  }
  return to_array(std::move(spans), {result.first().vectors.chunks.size(), 2});
}

}  // namespace

Result::Result(nb::object model, std::vector<TextResult> windows)
    : model_(std::move(model)), windows_(std::move(windows)) {}

Aggregation aggregation_named(const std::string& name) {
  static const std::map<std::string, Aggregation> aggregations = {{"none", Aggregation::kNone},
                                                                  {"simple", Aggregation::kSimple},
                                                                  {"first", Aggregation::kFirst},
                                                                  {"average", Aggregation::kAverage},
                                                                  {"max", Aggregation::kMax}};
  return chosen(aggregations, name, "aggregation");
}

TagScheme scheme_named(const std::string& name) {
  static const std::map<std::string, TagScheme> schemes = {{"auto", TagScheme::kFromLabels},
                                                           {"iob", TagScheme::kIob},
                                                           {"bioes", TagScheme::kBioes},
                                                           {"bilou", TagScheme::kBilou}};
  return chosen(schemes, name, "scheme");
}

WindowScores window_scores_named(const std::string& name) {
  static const std::map<std::string, WindowScores> words = {{"mean", WindowScores::kMean},
                                                            {"largest", WindowScores::kLargest}};
  return chosen(words, name, "window_scores");
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

void bind_result(nb::module_& module) {
  nb::class_<Result>(module, "Result")
      .def_prop_ro("index", [](const Result& result) { return result.first().index; })
      .def_prop_ro("truncated_tokens", &truncated_tokens)
      .def_prop_ro("unknown_tokens", &unknown_tokens)
      .def("tokens", &tokens)
      .def("ids", &ids)
      .def("type_ids", &type_ids)
      .def("special_tokens_mask", &special_tokens_mask)
      .def("word_ids", &word_ids)
      .def("offsets", &offsets, "unit"_a = "code_points")
      .def("last_hidden_state", &last_hidden_state)
      .def("pooler_output", &pooler_output)
      .def("hidden_states", &hidden_states)
      .def("attentions", &attentions)
      .def("labels", &labels, "window_scores"_a = "mean")
      .def(
          "entities",
          [](const Result& result, const std::string& aggregation, const std::string& unit, const std::string& scheme) {
            return entities(result, {aggregation_named(aggregation), scheme_named(scheme)}, unit);
          },
          "aggregation"_a, "unit"_a = "code_points", "scheme"_a = "auto")
      .def(
          "word_labels",
          [](const Result& result, const std::string& aggregation) {
            return word_labels(result, aggregation_named(aggregation));
          },
          "aggregation"_a)
      .def("labelled_entities", &labelled_entities, "unit"_a = "code_points")
      .def("class_scores", &class_scores, "window_scores"_a = "mean")
      .def(
          "answers",
          [](const Result& result, size_t top_k, size_t max_answer_tokens, bool no_answer, bool align_to_words,
             const std::string& unit) {
            return answers(result, {top_k, max_answer_tokens, no_answer, align_to_words}, unit);
          },
          "top_k"_a, "max_answer_tokens"_a, "no_answer"_a, "align_to_words"_a, "unit"_a = "code_points")
      .def("masks", &masks, "top_k"_a, "targets"_a)
      .def("logits", &logits)
      .def("sparse_ids", &sparse_ids)
      .def("sparse_weights", &sparse_weights)
      .def("embedding", &embedding)
      .def("token_vectors", &token_vectors)
      .def("chunk_vectors", &chunk_vectors)
      .def("chunk_spans", &chunk_spans)
      .def("relevance", &relevance);
}

}  // namespace bert::python
