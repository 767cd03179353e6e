// Explanations of scores.
#include "bindings/node/src/calls.h"

#include "bert/bert_explain.h"
#include "bindings/node/src/objects.h"
#include "bindings/node/src/promise.h"

namespace bert_node {

namespace {

size_t term_count(const bert_explanation* why) {
  const size_t first = bert_explanation_part_count(why, 0), second = bert_explanation_part_count(why, 1);
  switch (bert_explanation_kind_of(why)) {
    case BERT_WORDS_LEFT_OUT:
      return (first + second) * bert_explanation_output_count(why);
    case BERT_ENTRIES:
      return first;
    default:
      return first * second;
  }
}

napi_value js_explanation(napi_env env, const bert_explanation* why) {
  const napi_value object = new_object(env);
  const auto doubles = [&](const double* values, size_t count) {
    return typed_array(env, napi_float64_array, values, count);
  };
  const size_t outputs = bert_explanation_output_count(why);
  set(env, object, "kind", js_number(env, bert_explanation_kind_of(why)));
  set(env, object, "function", js_text(env, bert_explanation_function(why), NAPI_AUTO_LENGTH));
  set(env, object, "noSum", js_text(env, bert_explanation_no_sum(why), NAPI_AUTO_LENGTH));
  set(env, object, "outputs", js_items(env, bert_explanation_outputs(why), outputs));
  set(env, object, "remainders", doubles(bert_explanation_remainders(why), outputs));
  set(env, object, "first", js_items(env, bert_explanation_parts(why, 0), bert_explanation_part_count(why, 0)));
  set(env, object, "second", js_items(env, bert_explanation_parts(why, 1), bert_explanation_part_count(why, 1)));
  set(env, object, "terms", doubles(bert_explanation_terms(why), term_count(why)));
  return object;
}

}  // namespace

napi_value explain(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments<3> arguments(env, info);
    using Call =
        bert_status (*)(const bert_model*, bert_text, bert_text, const bert_explain_options*, bert_explanation**);
    static constexpr std::pair<const char*, Call> kCalls[] = {{"similarity", bert_explain_similarity},
                                                              {"labels", bert_explain_labels},
                                                              {"relevance", bert_explain_relevance}};
    struct State {
      ModelPtr model;
      Call call = nullptr;
      std::string first;
      OptionalText second, relevant_label;
      bert_explain_options options = BERT_EXPLAIN_OPTIONS_INIT;
      std::unique_ptr<bert_explanation, decltype(&bert_explanation_free)> why{nullptr, bert_explanation_free};
    };
    auto state = std::make_shared<State>();
    state->model = model_of(env, arguments[0]);
    const std::string name = string_of(env, arguments[1]);
    for (const auto& [known, call] : kCalls) {
      if (name == known) state->call = call;
    }
    if (state->call == nullptr) throw Failure(BERT_INVALID_ARGUMENT, "nothing to explain is called '" + name + "'");
    const napi_value given = arguments[2];
    state->first = string_of(env, member_of(env, given, "first"));
    state->second = text_member(env, given, "second");
    state->relevant_label = text_member(env, given, "relevantLabel");
    state->options.vectors = static_cast<int32_t>(number_of(env, given, "vectors"));
    state->options.pooling = static_cast<int32_t>(number_of(env, given, "pooling"));
    state->options.offset_unit = BERT_UTF16;
    return start(
        env,
        [state] {
          state->options.relevant_label = state->relevant_label.c_str();
          bert_explanation* why = nullptr;
          check(state->call(state->model.get(), view(state->first), view(state->second), &state->options, &why));
          state->why.reset(why);
        },
        [state](napi_env now) { return js_explanation(now, state->why.get()); });
  });
}

}  // namespace bert_node
