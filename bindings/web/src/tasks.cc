// What a model's heads say of a text, what a model that reads labels finds, and why a score is what it is.
#include <array>

#include "bert/bert_explain.h"
#include "bert/bert_labels.h"
#include "bindings/web/src/calls.h"

namespace bert_web {

namespace {

// The items of a call, or its error.
template <class Call>
bert_status items_of(uint32_t* words, const Call& call) {
  bert_items* items = nullptr;
  const bert_status status = call(&items);
  words[kResults] = address(items);
  return status;
}

template <class Options>
void read_windows(Options& options, Arguments& given) {
  options.windows = given.integer();
  options.stride = given.number();
  options.long_text = given.integer();
}

}  // namespace

// Results: bert_items, until said otherwise.
BERT_CALL(classify) {
  Arguments given(words);
  const auto* const model = given.pointer<const bert_model>();
  const bert_text text = given.text();
  bert_classify_options options = BERT_CLASSIFY_OPTIONS_INIT;
  options.pair = given.text();
  read_windows(options, given);
  return items_of(words, [&](bert_items** items) { return bert_classify(model, text, &options, items); });
}

BERT_CALL(zero_shot) {
  Arguments given(words);
  const auto* const model = given.pointer<const bert_model>();
  const bert_text text = given.text();
  const auto* const labels = given.pointer<const bert_text>();
  const size_t count = given.number();
  bert_zero_shot_options options = BERT_ZERO_SHOT_OPTIONS_INIT;
  options.hypothesis_template = given.name();
  options.multi_label = given.integer();
  read_windows(options, given);
  return items_of(words, [&](bert_items** to) { return bert_zero_shot(model, text, labels, count, &options, to); });
}

BERT_CALL(tag) {
  Arguments given(words);
  const auto* const model = given.pointer<const bert_model>();
  const bert_text text = given.text();
  bert_tag_options options = BERT_TAG_OPTIONS_INIT;
  options.aggregation = given.integer();
  options.scheme = given.integer();
  options.stride = given.number();
  options.long_text = given.integer();
  options.offset_unit = BERT_UTF16;
  return items_of(words, [&](bert_items** items) { return bert_tag(model, text, &options, items); });
}

BERT_CALL(fill_mask) {
  Arguments given(words);
  const auto* const model = given.pointer<const bert_model>();
  const bert_text text = given.text();
  bert_fill_mask_options options = BERT_FILL_MASK_OPTIONS_INIT;
  options.targets = given.pointer<const bert_text>();
  options.target_count = given.number();
  options.top_k = given.number();
  options.long_text = given.integer();
  return items_of(words, [&](bert_items** items) { return bert_fill_masks(model, text, &options, items); });
}

BERT_CALL(answer) {
  Arguments given(words);
  const auto* const model = given.pointer<const bert_model>();
  const bert_text question = given.text(), context = given.text();
  bert_answer_options options = BERT_ANSWER_OPTIONS_INIT;
  options.top_k = given.number();
  options.max_answer_tokens = given.number();
  options.no_answer = given.integer();
  options.offset_unit = BERT_UTF16;
  return items_of(words, [&](bert_items** items) { return bert_answer(model, question, context, &options, items); });
}

BERT_CALL(rerank) {
  Arguments given(words);
  const auto* const model = given.pointer<const bert_model>();
  const bert_text query = given.text();
  const auto* const documents = given.pointer<const bert_text>();
  const size_t count = given.number();
  bert_rerank_options options = BERT_RERANK_OPTIONS_INIT;
  options.prompt = given.name();
  options.relevant_label = given.name();
  read_windows(options, given);
  return items_of(words, [&](bert_items** to) { return bert_rerank(model, query, documents, count, &options, to); });
}

// threshold: the address of a double.
BERT_CALL(find_entities) {
  Arguments given(words);
  const auto* const model = given.pointer<const bert_model>();
  const bert_text text = given.text();
  const auto* const labels = given.pointer<const bert_text>();
  const size_t count = given.number();
  bert_label_options options = BERT_LABEL_OPTIONS_INIT;
  options.threshold = *given.pointer<const double>();
  options.nested = given.integer();
  options.multi_label = given.integer();
  read_windows(options, given);
  options.offset_unit = BERT_UTF16;
  return items_of(words, [&](bert_items** to) { return bert_find_entities(model, text, labels, count, &options, to); });
}

BERT_CALL(score_labels) {
  Arguments given(words);
  const auto* const model = given.pointer<const bert_model>();
  const bert_text text = given.text();
  const auto* const labels = given.pointer<const bert_text>();
  const size_t count = given.number();
  bert_class_options options = BERT_CLASS_OPTIONS_INIT;
  options.multi_label = given.integer();
  read_windows(options, given);
  return items_of(words, [&](bert_items** to) { return bert_score_labels(model, text, labels, count, &options, to); });
}

// call: 0: of a similarity, 1: of labels, 2: of relevance. Results: a bert_explanation.
BERT_CALL(explain) {
  Arguments given(words);
  const auto* const model = given.pointer<const bert_model>();
  const uint32_t call = given.number();
  const bert_text first = given.text(), second = given.text();
  bert_explain_options options = BERT_EXPLAIN_OPTIONS_INIT;
  options.vectors = given.integer();
  options.pooling = given.integer();
  options.relevant_label = given.name();
  options.offset_unit = BERT_UTF16;
  static constexpr auto kCalls = std::array{bert_explain_similarity, bert_explain_labels, bert_explain_relevance};
  bert_explanation* why = nullptr;
  const bert_status status = kCalls[call](model, first, second, &options, &why);
  words[kResults] = address(why);
  return status;
}

}  // namespace bert_web
