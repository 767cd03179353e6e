// Runs a task by its name: reads inputs and options from JavaScript, and makes the results.
#include "bindings/node/src/calls.h"
#include "bindings/node/src/objects.h"
#include "bindings/node/src/promise.h"

namespace bert_node {

namespace {

using Task = std::unique_ptr<bert_task, decltype(&bert_task_free)>;
using Results = std::unique_ptr<bert_results, decltype(&bert_results_free)>;

// One input: a text and perhaps its pair, or words.
struct Input {
  OptionalText text, pair;
  std::vector<std::string> words;
};

struct Run {
  ModelPtr model;
  std::string name, options;
  std::vector<Input> inputs;
  Results results{nullptr, bert_results_free};
};

std::vector<Input> inputs_of(napi_env env, napi_value array) {
  uint32_t count = 0;
  check(napi_get_array_length(env, array, &count));
  std::vector<Input> inputs(count);
  for (uint32_t i = 0; i < count; ++i) {
    napi_value given;
    check(napi_get_element(env, array, i, &given));
    inputs[i] = {text_member(env, given, "text"), text_member(env, given, "pair"), texts_member(env, given, "words")};
  }
  return inputs;
}

void compute(Run& run) {
  bert_task* made = nullptr;
  check(bert_task_new(run.model.get(), run.name.c_str(), &made));
  const Task task(made, bert_task_free);
  check(bert_task_set_json(made, run.options.data(), run.options.size()));
  std::vector<bert_input> inputs;
  std::vector<std::vector<bert_text>> words;
  for (const Input& given : run.inputs) {
    const std::vector<bert_text>& of_input = words.emplace_back(views(given.words));
    inputs.push_back({view(given.text), view(given.pair), of_input.data(), of_input.size()});
  }
  bert_run_options options = BERT_RUN_OPTIONS_INIT;
  options.offset_unit = BERT_UTF16;
  bert_results* results = nullptr;
  const bert_status status = bert_task_run(made, inputs.data(), inputs.size(), &options, &results);
  run.results.reset(results);
  check(status);
}

napi_value js_results(napi_env env, const bert_results* results) {
  const napi_value object = new_object(env);
  napi_value array;
  check(napi_create_array(env, &array));
  for (size_t i = 0; i < bert_results_count(results); ++i) {
    const napi_value one = new_object(env);
    size_t count = 0, bytes = 0;
    const bert_item* const items = bert_results_items(results, i, &count);
    set(env, one, "items", js_items(env, items, count));
    const char* const text = bert_results_text(results, i, &bytes);
    if (text != nullptr) set(env, one, "text", js_text(env, text, bytes));
    set(env, one, "truncatedTokens", js_number(env, bert_results_truncated_tokens(results, i)));
    check(napi_set_element(env, array, static_cast<uint32_t>(i), one));
  }
  set(env, object, "results", array);
  size_t ranked = 0;
  const size_t* const ranking = bert_results_ranking(results, &ranked);
  set(env, object, "ranking", js_sizes(env, ranking, ranked));
  return object;
}

}  // namespace

napi_value run_task(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments<4> arguments(env, info);
    auto run = std::make_shared<Run>();
    run->model = model_of(env, arguments[0]);
    run->name = string_of(env, arguments[1]);
    run->inputs = inputs_of(env, arguments[2]);
    run->options = string_of(env, arguments[3]);
    return start(
        env, [run] { compute(*run); }, [run](napi_env now) { return js_results(now, run->results.get()); });
  });
}

}  // namespace bert_node
