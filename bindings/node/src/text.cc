// Conversion of texts to tokens and of tokens to texts.
#include "bindings/node/src/calls.h"

#include "bindings/node/src/objects.h"

namespace bert_node {

napi_value tokenize(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments<4> arguments(env, info);
    const ModelPtr model = model_of(env, arguments[0]);
    const std::string text = string_of(env, arguments[1]);
    const bool has_pair = is_given(env, arguments[2]);
    const std::string pair = has_pair ? string_of(env, arguments[2]) : std::string();
    bert_tokenize_options options = BERT_TOKENIZE_OPTIONS_INIT;
    options.max_length = static_cast<size_t>(number_of(env, arguments[3], "maxLength"));
    options.without_special_tokens = flag_of(env, arguments[3], "withoutSpecialTokens");
    options.offset_unit = BERT_UTF16;
    const bert_tokenizer* tokenizer = bert_model_tokenizer(model.get());
    if (tokenizer == nullptr) throw Failure(BERT_NOT_FOUND, "the model has no tokenizer");
    const auto call = [&](bert_tokens& tokens) {
      return bert_tokenize(tokenizer, text.data(), text.size(), has_pair ? pair.data() : nullptr, pair.size(), &options,
                           &tokens);
    };
    bert_tokens tokens = BERT_TOKENS_INIT;
    const bert_status status = call(tokens);
    if (status != BERT_BUFFER_TOO_SMALL) check(status);
    const size_t size = tokens.capacity = tokens.size;
    std::vector<int32_t> ids(size), type_ids(size), word_ids(size), sequence_ids(size);
    std::vector<uint8_t> special(size);
    std::vector<size_t> starts(size), ends(size);
    tokens.ids = ids.data();
    tokens.type_ids = type_ids.data();
    tokens.word_ids = word_ids.data();
    tokens.sequence_ids = sequence_ids.data();
    tokens.special_tokens_mask = special.data();
    tokens.offset_begins = starts.data();
    tokens.offset_ends = ends.data();
    check(call(tokens));
    const napi_value object = new_object(env);
    const auto put = [&](const char* name, const std::vector<int32_t>& values) {
      set(env, object, name, typed_array(env, napi_int32_array, values));
    };
    put("ids", ids);
    put("typeIds", type_ids);
    put("wordIds", word_ids);
    put("sequenceIds", sequence_ids);
    put("starts", {starts.begin(), starts.end()});
    put("ends", {ends.begin(), ends.end()});
    set(env, object, "specialTokensMask", typed_array(env, napi_uint8_array, special));
    set(env, object, "truncated", js_number(env, tokens.truncated_tokens));
    return object;
  });
}

namespace {

// Returns a text of the tokenizer; calls the function twice, the first time for the size.
template <class Call>
napi_value sized_text(napi_env env, const Call& call) {
  size_t bytes = 0;
  const bert_status status = call(nullptr, 0, &bytes);
  if (status != BERT_BUFFER_TOO_SMALL) check(status);
  std::string text(bytes + 1, '\0');
  check(call(text.data(), text.size(), &bytes));
  return js_text(env, text.data(), bytes);
}

}  // namespace

napi_value token_text(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments<2> arguments(env, info);
    const ModelPtr model = model_of(env, arguments[0]);
    int32_t id = 0;
    check(napi_get_value_int32(env, arguments[1], &id));
    return sized_text(env, [&](char* buffer, size_t capacity, size_t* bytes) {
      return bert_token_text(bert_model_tokenizer(model.get()), id, buffer, capacity, bytes);
    });
  });
}

napi_value decode(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments<3> arguments(env, info);
    const ModelPtr model = model_of(env, arguments[0]);
    const std::vector<int32_t> ids = ids_of(env, arguments[1]);
    bool skips = false;
    check(napi_get_value_bool(env, arguments[2], &skips));
    return sized_text(env, [&](char* buffer, size_t capacity, size_t* bytes) {
      return bert_decode(bert_model_tokenizer(model.get()), ids.data(), ids.size(), skips, buffer, capacity, bytes);
    });
  });
}

}  // namespace bert_node
