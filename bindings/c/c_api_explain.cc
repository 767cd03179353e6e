// The C interface's calls that explain scores.
#include <memory>
#include <string_view>
#include <utility>

#include "bert/bert_explain.h"
#include "bert/explain.h"
#include "bindings/c/c_api.h"
#include "bindings/c/c_api_items.h"

struct bert_explanation {
  int32_t kind = BERT_WORDS_LEFT_OUT;
  std::string function, no_sum;
  bert::c_api::Items outputs, parts[2];
  std::vector<double> remainders, terms;
};

namespace bert::c_api {
namespace {

// Converts offsets to the caller's text. An explained text ends with the caller's text; a prompt may come before it.
class OffsetConverter {
 public:
  OffsetConverter(std::string_view given, int32_t unit) : given_(given), units_(given, offset_unit(unit)) {}
  void set(bert_item& item, Offset place, std::string_view explained) const {
    const size_t prompt = explained.ends_with(given_) ? explained.size() - given_.size() : explained.size();
    if (place.begin < place.end && place.begin >= prompt) {
      set_offsets(item, units_, place.begin - prompt, place.end - prompt);
    }
  }

 private:
  std::string_view given_;
  OffsetUnits units_;
};

void add_words(const std::vector<TextWord>& words, int32_t sequence, std::string_view explained,
               const OffsetConverter& places, Items& parts) {
  for (const TextWord& word : words) {
    if (word.sequence == sequence) places.set(parts.add(word.text), word.place, explained);
  }
}

void add_rows(const ExplainedText& text, const OffsetConverter& places, Items& parts) {
  for (size_t row = 0; row < text.rows.size(); ++row) {
    bert_item& item = parts.add(text.rows[row]);
    const size_t token = text.places[row];
    item.index = text.group_of_row[row];
    item.id = token < text.encoding.size() ? text.encoding.ids[token] : -1;
    // The first groups are the text's words.
    if (item.index < text.words.size() && text.words[item.index].place.begin < text.words[item.index].place.end) {
      places.set(item, text.encoding.offsets[token], text.text);
    }
  }
}

void set_terms(const ScoreExplanation& found, const OffsetConverter& first, const OffsetConverter& second,
               bert_explanation& why) {
  switch (found.kind) {
    case ExplanationKind::kTokenPairs:
    case ExplanationKind::kMatches:
      why.kind = found.kind == ExplanationKind::kMatches ? BERT_MATCHES : BERT_TOKEN_PAIRS;
      add_rows(found.a, first, why.parts[0]);
      add_rows(found.b, second, why.parts[1]);
      why.terms = found.pairs;
      return;
    case ExplanationKind::kEntries:
      why.kind = BERT_ENTRIES;
      for (const EntryTerm& entry : found.entries) {
        for (const size_t which : {0, 1}) {
          bert_item& item = why.parts[which].add(entry.token);
          item.id = entry.id;
          item.score = which == 0 ? entry.weight_a : entry.weight_b;
        }
        why.terms.push_back(entry.term);
      }
      return;
    case ExplanationKind::kWordsLeftOut:
      add_words(found.a.words, 0, found.a.text, first, why.parts[0]);
      add_words(found.b.words, 0, found.b.text, second, why.parts[1]);
      for (const ExplainedText* text : {&found.a, &found.b}) {
        for (const double without : text->without) why.terms.push_back(found.score - without);
      }
      return;
  }
}

// Sets the terms of a classifier's explanation. The words of the text come before those of the pair.
void set_terms(const LabelExplanation& found, const OffsetConverter& first, const OffsetConverter& second,
               bert_explanation& why) {
  for (size_t label = 0; label < found.labels.size(); ++label) {
    why.outputs.add(found.labels[label]).score = found.scores[label];
  }
  why.remainders = found.remainders;
  add_words(found.text.words, 0, found.text.text, first, why.parts[0]);
  add_words(found.text.words, 1, found.text.pair, second, why.parts[1]);
  for (const int32_t sequence : {0, 1}) {
    for (size_t word = 0; word < found.text.words.size(); ++word) {
      if (found.text.words[word].sequence != sequence) continue;
      for (size_t label = 0; label < found.labels.size(); ++label) why.terms.push_back(found.term(word, label));
    }
  }
}

std::unique_ptr<bert_explanation> explanation_of(const LabelExplanation& found, std::string_view first,
                                                 std::string_view second, int32_t offset_unit) {
  auto made = std::make_unique<bert_explanation>();
  set_terms(found, OffsetConverter(first, offset_unit), OffsetConverter(second, offset_unit), *made);
  return made;
}

VectorRequest vector_request(const bert_explain_options& known) {
  VectorRequest request;
  bert_embed_options embed = BERT_EMBED_OPTIONS_INIT;
  embed.pooling = known.pooling;
  const EmbedOptions dense = embed_options(&embed);
  const size_t kind = index_of(known.vectors, 3, "vectors");
  if (kind == BERT_DENSE) request.dense = dense;
  if (kind != BERT_DENSE && dense.pooling) refuse("a pooling given, expected one only for dense vectors");
  if (kind == BERT_SPARSE) request.sparse.emplace();
  request.tokens = kind == BERT_TOKEN_VECTORS;
  return request;
}

// Cuts a text or a pair into one sequence and returns it. Throws the text's error.
TextResult sequence_of(const Model& model, const TextTask& task, TextItem item) {
  TextResult result = std::move(TextTaskRunner(model, task).cut(std::move(item)).front());
  if (result.error) throw *result.error;
  return result;
}

}  // namespace
}  // namespace bert::c_api

using namespace bert;
using namespace bert::c_api;

int32_t bert_explanation_kind_of(const bert_explanation* why) { return why == nullptr ? 0 : why->kind; }
const char* bert_explanation_function(const bert_explanation* why) { return why ? why->function.c_str() : nullptr; }
const char* bert_explanation_no_sum(const bert_explanation* why) { return why ? why->no_sum.c_str() : nullptr; }
const bert_item* bert_explanation_outputs(const bert_explanation* why) {
  return why ? why->outputs.list.data() : nullptr;
}
size_t bert_explanation_output_count(const bert_explanation* why) { return why ? why->outputs.list.size() : 0; }
const double* bert_explanation_remainders(const bert_explanation* why) {
  return why ? why->remainders.data() : nullptr;
}
const bert_item* bert_explanation_parts(const bert_explanation* why, int which) {
  return bert_explanation_part_count(why, which) == 0 ? nullptr : why->parts[which].list.data();
}
size_t bert_explanation_part_count(const bert_explanation* why, int which) {
  return why == nullptr || which < 0 || which > 1 ? 0 : why->parts[which].list.size();
}
const double* bert_explanation_terms(const bert_explanation* why) { return why ? why->terms.data() : nullptr; }
void bert_explanation_free(bert_explanation* why) { delete why; }

bert_status bert_explain_similarity(const bert_model* model, bert_text a, bert_text b,
                                    const bert_explain_options* options, bert_explanation** why) {
  return new_object(why, "why", [&] {
    const bert_explain_options known = known_part(options);
    const std::string_view first = text_of(a, "a"), second = text_of(b, "b");
    if (known.relevant_label != nullptr) refuse("a relevant label given, expected none for a similarity");
    const ScoreExplanation found = explain_texts(need(model, "model").model, vector_request(known),
                                                 {.text = std::string(first)}, {.text = std::string(second)});
    auto made = std::make_unique<bert_explanation>();
    made->function = found.function;
    made->no_sum = found.not_additive;
    made->outputs.add("").score = found.score;
    made->remainders = {found.remainder};
    set_terms(found, OffsetConverter(first, known.offset_unit), OffsetConverter(second, known.offset_unit), *made);
    return made;
  });
}

bert_status bert_explain_labels(const bert_model* model, bert_text text, bert_text pair,
                                const bert_explain_options* options, bert_explanation** why) {
  return new_object(why, "why", [&] {
    const bert_explain_options known = known_part(options);
    const Model& with = need(model, "model").model;
    const std::string_view first = text_of(text, "text");
    const bool has_pair = pair.data != nullptr;
    const std::string_view second = has_pair ? text_of(pair, "pair") : std::string_view();
    TextItem item{.text = std::string(first)};
    if (has_pair) item.pair = std::string(second);
    const LabelExplanation found =
        explain_labels(with, sequence_of(with, HeadOptions{.head = Head::kSequenceClassification}, std::move(item)));
    return explanation_of(found, first, second, known.offset_unit);
  });
}

bert_status bert_explain_relevance(const bert_model* model, bert_text query, bert_text document,
                                   const bert_explain_options* options, bert_explanation** why) {
  return new_object(why, "why", [&] {
    const bert_explain_options known = known_part(options);
    const Model& with = need(model, "model").model;
    const std::string_view first = text_of(query, "query"), second = text_of(document, "document");
    std::optional<std::string> label;
    if (known.relevant_label != nullptr) label = known.relevant_label;
    const Reranker reranker(with, {}, label);
    if (reranker.method() != RerankMethod::kClassifier) {
      throw Error(ErrorCode::kUnsupported,
                  "the model is no classifier: bert_explain_similarity explains how it compares vectors");
    }
    const TextResult pair =
        sequence_of(with, reranker.task(), {.text = std::string(first), .pair = std::string(second)});
    const LabelExplanation found = explain_relevance(with, pair, label);
    return explanation_of(found, first, second, known.offset_unit);
  });
}
