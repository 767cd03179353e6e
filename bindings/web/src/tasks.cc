// Tasks by their names, and explanations of scores.
#include <array>

#include "bert/bert_explain.h"
#include "bindings/web/src/calls.h"

namespace bert_web {

// Runs the named task with options (JSON) on inputs (bert_input, [count]). Results: the address of a bert_results.
BERT_CALL(task) {
  Arguments given(words);
  const auto* const model = given.pointer<const bert_model>();
  const char* const name = given.name();
  const bert_text options = given.text();
  const auto* const inputs = given.pointer<const bert_input>();
  const size_t count = given.number();
  bert_run_options how = BERT_RUN_OPTIONS_INIT;
  how.offset_unit = BERT_UTF16;
  bert_task* made = nullptr;
  bert_results* results = nullptr;
  bert_status status = bert_task_new(model, name, &made);
  if (status == BERT_OK) status = bert_task_set_json(made, options.data, options.bytes);
  if (status == BERT_OK) status = bert_task_run(made, inputs, count, &how, &results);
  bert_task_free(made);
  words[kResults] = address(results);
  return status;
}

// call: 0: similarity, 1: labels, 2: relevance. Results: the address of a bert_explanation.
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
