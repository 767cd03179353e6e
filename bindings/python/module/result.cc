#include "bindings/python/module/result.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bert/offsets.h"
#include "bindings/python/module/arrays.h"
#include "bindings/python/module/words.h"

namespace bert::python {
namespace nb = nanobind;
using namespace nb::literals;
namespace {

// Returns an array of one output, with this shape; None if the output is empty.
nb::object array_or_none(std::vector<float>& values, std::initializer_list<size_t> shape) {
  if (values.empty()) return nb::none();
  return nb::cast(to_array(std::move(values), shape));
}

OffsetUnit unit_of(const std::string& name) {
  static const std::map<std::string, OffsetUnit> units = {
      {"bytes", OffsetUnit::kBytes}, {"code_points", OffsetUnit::kCodePoints}, {"utf16", OffsetUnit::kUtf16}};
  return chosen(units, name, "offsets");
}

size_t truncated_tokens(const Result& result) {
  size_t sum = 0;
  for (const TextResult& window : result.windows()) sum += window.tokens.encoding.truncated_tokens;
  return sum;
}

size_t unknown_tokens(const Result& result) {
  size_t sum = 0;
  for (const TextResult& window : result.windows()) sum += window.tokens.unknown_tokens;
  return sum;
}

// Returns the tokens of the text, or of its first window.
std::vector<std::string> tokens(const Result& result) {
  std::vector<std::string> tokens;
  for (const int32_t id : result.first().tokens.encoding.ids) tokens.emplace_back(result.model().tokenizer().token(id));
  return tokens;
}

// Returns a member of the encoding of the text, or of its first window.
template <auto Member>
auto of_tokens(const Result& result) {
  const Encoding& encoding = result.first().tokens.encoding;
  return to_array(encoding.*Member, {encoding.size()});
}

Array<int64_t> offsets(const Result& result, const std::string& unit) {
  const Encoding& encoding = result.first().tokens.encoding;
  const OffsetUnits of_text(result.first().input.text, unit_of(unit)),
      of_pair(result.first().input.pair, unit_of(unit));
  std::vector<OffsetUnits> of_words;
  if (result.first().input.words) {
    for (const std::string& word : *result.first().input.words) of_words.emplace_back(word, unit_of(unit));
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

// The functions below each return an output of the encoder once: the array takes over the memory. They return None if
// the output was not requested, or if the model has no pooler.
Array<float> last_hidden_state(Result& result) {
  auto& encoded = std::get<EncodedSequence>(result.first().output);
  return to_array(std::exchange(encoded.last_hidden_state, {}), {encoded.tokens, encoded.hidden});
}

nb::object pooler_output(Result& result) {
  auto& encoded = std::get<EncodedSequence>(result.first().output);
  return array_or_none(encoded.pooler_output, {encoded.hidden});
}

nb::object hidden_states(Result& result) {
  auto& encoded = std::get<EncodedSequence>(result.first().output);
  if (encoded.hidden_states.empty()) return nb::none();
  const size_t layers = encoded.hidden_states.size() / (encoded.tokens * encoded.hidden);
  return array_or_none(encoded.hidden_states, {layers, encoded.tokens, encoded.hidden});
}

nb::object attentions(Result& result) {
  auto& encoded = std::get<EncodedSequence>(result.first().output);
  const ModelConfig& config = result.model().config();
  return array_or_none(encoded.attentions,
                       {config.attention_layers(), config.num_attention_heads, encoded.tokens, encoded.tokens});
}

nb::object contacts(Result& result) {
  auto& encoded = std::get<EncodedSequence>(result.first().output);
  const size_t residues = residue_count(encoded.tokens);
  return array_or_none(encoded.contacts, {residues, residues});
}

// Converts a task's output to lists of dicts, as in bindings/python/bert_infer/types.py, or to numbers.
struct OutputLists {
  const TextResult& first;
  OffsetUnit unit;

  template <typename Span>
  static void add_span(nb::dict& dict, const Span& span, const OffsetUnits& units) {
    dict["start"] = units.before(span.start);
    dict["end"] = units.before(span.end);
  }

  // set: a function that fills the dict of an item.
  template <typename Item, typename Set>
  static nb::list list_of(const std::vector<Item>& items, const Set& set) {
    nb::list list;
    for (const Item& item : items) {
      nb::dict dict;
      set(dict, item);
      list.append(dict);
    }
    return list;
  }

  nb::object operator()(const RedactedText& found) const {
    return redacted_dict(found, OffsetUnits(first.input.text, unit));
  }

  nb::object operator()(const NextSentence& found) const { return nb::cast(found.is_next); }

  // Returns the score, and the logit, by which inputs are sorted.
  nb::object operator()(const Relevance& found) const { return nb::make_tuple(found.score, found.logit); }

  nb::object operator()(const std::vector<LabelScore>& labels) const {
    return list_of(labels, [](nb::dict& dict, const LabelScore& label) {
      dict["label"] = label.label;
      dict["score"] = label.score;
    });
  }

  nb::object operator()(const std::vector<Entity>& entities) const {
    const OffsetUnits units(first.input.text, unit);
    return list_of(entities, [&](nb::dict& dict, const Entity& entity) {
      dict["entity"] = entity.entity;
      dict["score"] = entity.score;
      dict["word"] = entity.word;
      add_span(dict, entity, units);
    });
  }

  // A word that was cut off has None for label and score.
  nb::object operator()(const std::vector<WordLabel>& labels) const {
    size_t word = 0;
    return list_of(labels, [&](nb::dict& dict, const WordLabel& label) {
      dict["word"] = first.input.words->at(word++);
      dict["label"] = label.label.empty() ? nb::none() : nb::cast(label.label);
      dict["score"] = label.label.empty() ? nb::none() : nb::cast(label.score);
    });
  }

  nb::object operator()(const std::vector<std::vector<MaskCandidate>>& masks) const {
    nb::list list;
    for (const auto& candidates : masks) {
      list.append(list_of(candidates, [](nb::dict& dict, const MaskCandidate& candidate) {
        dict["token"] = candidate.token;
        dict["id"] = candidate.id;
        dict["score"] = candidate.score;
        dict["sequence"] = candidate.sequence;
      }));
    }
    return list;
  }

  nb::object operator()(const std::vector<Answer>& answers) const {
    const OffsetUnits units(first.input.pair, unit);
    return list_of(answers, [&](nb::dict& dict, const Answer& answer) {
      dict["answer"] = answer.answer;
      dict["score"] = answer.score;
      add_span(dict, answer, units);
    });
  }
};

// Returns the output of a one-label classifier, after the model's activation.
double relevance(const Result& result) {
  return bert::relevance(result.model().config(), std::get<Logits>(result.first().output)).score;
}

// Returns the logits of the text, or of its first window: [rows, outputs].
Array<float> logits(const Result& result) {
  const Logits& logits = std::get<Logits>(result.first().output);
  return to_array(logits.values, {logits.rows, logits.outputs});
}

const TextVectors& vectors(const Result& result) { return result.first().vectors(); }

Array<int32_t> sparse_ids(const Result& result) {
  return to_array(vectors(result).sparse.ids, {vectors(result).sparse.ids.size()});
}
Array<float> sparse_weights(const Result& result) {
  return to_array(vectors(result).sparse.weights, {vectors(result).sparse.weights.size()});
}

Array<float> embedding(const Result& result) { return to_array(vectors(result).dense, {vectors(result).dense.size()}); }
Array<float> token_vectors(const Result& result) {
  const TokenVectors& made = vectors(result).tokens;
  return to_array(made.values, {made.tokens.size(), made.size});
}

Array<float> chunk_vectors(const Result& result) {
  const TextVectors& made = vectors(result);
  const size_t chunks = made.chunks.size();
  return to_array(made.dense, {chunks, chunks == 0 ? 0 : made.dense.size() / chunks});
}

Array<int64_t> chunk_spans(const Result& result) {
  std::vector<int64_t> spans;
  for (const TextChunk& chunk : vectors(result).chunks) {
    spans.push_back(static_cast<int64_t>(chunk.code_points.begin));
    spans.push_back(static_cast<int64_t>(chunk.code_points.end));
  }
  return to_array(std::move(spans), {vectors(result).chunks.size(), 2});
}

}  // namespace

const TaskOutput& Result::output() const {
  if (!output_) throw Error(ErrorCode::kInvalidArgument, "the run has no task, expected one");
  return *output_;
}

nb::dict redacted_dict(const RedactedText& redacted, const OffsetUnits& units) {
  nb::dict dict;
  dict["text"] = redacted.text;
  dict["replaced"] = OutputLists::list_of(redacted.replaced, [&](nb::dict& one, const Redaction& part) {
    one["label"] = part.label;
    one["start"] = units.before(part.place.begin);
    one["end"] = units.before(part.place.end);
  });
  return dict;
}

void bind_result(nb::module_& module) {
  nb::class_<Result>(module, "Result")
      .def_prop_ro("index", [](const Result& result) { return result.first().input.index; })
      .def_prop_ro("truncated_tokens", &truncated_tokens)
      .def_prop_ro("unknown_tokens", &unknown_tokens)
      .def("tokens", &tokens)
      .def("ids", &of_tokens<&Encoding::ids>)
      .def("type_ids", &of_tokens<&Encoding::type_ids>)
      .def("special_tokens_mask", &of_tokens<&Encoding::special_tokens_mask>)
      .def("word_ids", &of_tokens<&Encoding::word_ids>)
      .def("offsets", &offsets, "unit"_a = "code_points")
      .def("last_hidden_state", &last_hidden_state)
      .def("pooler_output", &pooler_output)
      .def("hidden_states", &hidden_states)
      .def("contacts", &contacts)
      .def("attentions", &attentions)
      .def(
          "output",
          [](const Result& result, const std::string& unit) {
            return std::visit(OutputLists{result.first(), unit_of(unit)}, result.output());
          },
          "unit"_a = "code_points")
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
