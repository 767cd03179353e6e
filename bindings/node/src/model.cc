// Loading and describing a model.
#include "bindings/node/src/calls.h"

#include "bindings/node/src/objects.h"
#include "bindings/node/src/promise.h"

namespace bert_node {

napi_value load(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments<2> arguments(env, info);
    struct State {
      OptionalText name, revision, task, adapter, encoder;
      bert_load_options options = BERT_LOAD_OPTIONS_INIT;
      ModelPtr model;
    };
    auto state = std::make_shared<State>();
    if (is_given(env, arguments[0])) state->name = {true, string_of(env, arguments[0])};
    const napi_value options = arguments[1];
    state->revision = text_member(env, options, "revision");
    state->task = text_member(env, options, "task");
    state->adapter = text_member(env, options, "adapter");
    state->encoder = text_member(env, options, "encoder");
    state->options.threads = static_cast<size_t>(number_of(env, options, "threads"));
    state->options.precision = static_cast<int32_t>(number_of(env, options, "precision"));
    state->options.packing = static_cast<int32_t>(number_of(env, options, "packing"));
    state->options.ignore_unexpected = flag_of(env, options, "ignoreUnexpected");
    state->options.check_tensors = flag_of(env, options, "checkTensors");
    return start(
        env,
        [state] {
          state->options.revision = state->revision.c_str();
          state->options.task = state->task.c_str();
          state->options.adapter = state->adapter.c_str();
          state->options.encoder = state->encoder.c_str();
          bert_model* model = nullptr;
          check(bert_model_load(state->name.c_str(), &state->options, &model));
          state->model = ModelPtr(model, bert_model_free);
        },
        [state](napi_env now) { return js_object(now, state->model, kModelTag); });
  });
}

napi_value release(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() -> napi_value {
    const Arguments<1> arguments(env, info);
    pointer_in<ModelPtr>(env, arguments[0], kModelTag).reset();
    return nullptr;
  });
}

napi_value describe(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments<1> arguments(env, info);
    const ModelPtr model = model_of(env, arguments[0]);
    const napi_value object = new_object(env);
    napi_value notices, flag;
    set(env, object, "hiddenSize", js_number(env, bert_model_hidden_size(model.get())));
    set(env, object, "layers", js_number(env, bert_model_layers(model.get())));
    set(env, object, "heads", js_number(env, bert_model_heads(model.get())));
    set(env, object, "maxLength", js_number(env, bert_model_max_length(model.get())));
    set(env, object, "precision", js_text(env, bert_model_precision(model.get()), NAPI_AUTO_LENGTH));
    check(napi_get_boolean(env, bert_model_has_pooler(model.get()) != 0, &flag));
    set(env, object, "hasPooler", flag);
    check(napi_get_boolean(env, bert_model_tokenizer(model.get()) != nullptr, &flag));
    set(env, object, "hasTokenizer", flag);
    check(napi_create_array(env, &notices));
    for (size_t i = 0; const char* notice = bert_model_notice(model.get(), i); ++i) {
      check(napi_set_element(env, notices, static_cast<uint32_t>(i), js_text(env, notice, NAPI_AUTO_LENGTH)));
    }
    set(env, object, "notices", notices);
    set(env, object, "maskId", js_number(env, bert_model_mask_id(model.get())));
    return object;
  });
}

napi_value cancellation(napi_env env, napi_callback_info) {
  return guarded(env, [&] { return js_object(env, std::make_shared<std::atomic<bool>>(false), kCancelTag); });
}

napi_value cancel(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() -> napi_value {
    const Arguments<1> arguments(env, info);
    object_of<CancelPtr>(env, arguments[0], kCancelTag)->store(true);
    return nullptr;
  });
}

}  // namespace bert_node
