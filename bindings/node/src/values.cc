#include "bindings/node/src/values.h"

namespace bert_node {

void check(napi_status status) {
  if (status != napi_ok) throw Pending();
}

void check(bert_status status) {
  if (status != BERT_OK) throw Failure(status, bert_error_message());
}

std::string string_of(napi_env env, napi_value value) {
  size_t bytes = 0;
  check(napi_get_value_string_utf8(env, value, nullptr, 0, &bytes));
  std::string text(bytes + 1, '\0');
  check(napi_get_value_string_utf8(env, value, text.data(), text.size(), &bytes));
  text.resize(bytes);
  return text;
}

std::vector<std::string> strings_of(napi_env env, napi_value array) {
  uint32_t count = 0;
  check(napi_get_array_length(env, array, &count));
  std::vector<std::string> texts;
  texts.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    napi_value element;
    check(napi_get_element(env, array, i, &element));
    texts.push_back(string_of(env, element));
  }
  return texts;
}

std::vector<int32_t> ids_of(napi_env env, napi_value value) {
  void* data = nullptr;
  size_t count = 0;
  check(napi_get_typedarray_info(env, value, nullptr, &count, &data, nullptr, nullptr));
  const auto* const ids = static_cast<const int32_t*>(data);
  return {ids, ids + count};
}

bool is_given(napi_env env, napi_value value) {
  napi_valuetype type;
  check(napi_typeof(env, value, &type));
  return type != napi_undefined && type != napi_null;
}

napi_value member_of(napi_env env, napi_value object, const char* name) {
  napi_value value;
  check(napi_get_named_property(env, object, name, &value));
  return value;
}

int64_t number_of(napi_env env, napi_value object, const char* name) {
  const napi_value value = member_of(env, object, name);
  int64_t number = 0;
  if (is_given(env, value)) check(napi_get_value_int64(env, value, &number));
  return number;
}

bool flag_of(napi_env env, napi_value object, const char* name) {
  const napi_value value = member_of(env, object, name);
  bool flag = false;
  if (is_given(env, value)) check(napi_get_value_bool(env, value, &flag));
  return flag;
}

const char* OptionalText::c_str() const {
  const size_t zero = text.find('\0');
  if (zero == std::string::npos) return is_there ? text.c_str() : nullptr;
  throw Failure(BERT_INVALID_ARGUMENT, "found a zero character after '" + text.substr(0, zero) + "', expected none");
}

OptionalText text_member(napi_env env, napi_value object, const char* name) {
  const napi_value value = member_of(env, object, name);
  if (!is_given(env, value)) return {};
  return {true, string_of(env, value)};
}

std::vector<std::string> texts_member(napi_env env, napi_value object, const char* name) {
  const napi_value value = member_of(env, object, name);
  return is_given(env, value) ? strings_of(env, value) : std::vector<std::string>();
}

bert_text view(const std::string& text) { return {text.data(), text.size()}; }

bert_text view(const OptionalText& text) { return text.is_there ? view(text.text) : bert_text{nullptr, 0}; }

std::vector<bert_text> views(const std::vector<std::string>& texts) {
  std::vector<bert_text> all;
  for (const std::string& text : texts) all.push_back(view(text));
  return all;
}

napi_value js_text(napi_env env, const char* text, size_t bytes) {
  napi_value value;
  check(napi_create_string_utf8(env, text, bytes, &value));
  return value;
}

napi_value new_object(napi_env env) {
  napi_value object;
  check(napi_create_object(env, &object));
  return object;
}

void set(napi_env env, napi_value object, const char* name, napi_value value) {
  check(napi_set_named_property(env, object, name, value));
}

napi_value js_sizes(napi_env env, const size_t* values, size_t count) {
  return typed_array(env, napi_float64_array, std::vector<double>(values, values + count));
}

napi_value js_items(napi_env env, const bert_item* items, size_t count) {
  napi_value array;
  check(napi_create_array_with_length(env, count, &array));
  for (size_t i = 0; i < count; ++i) {
    const bert_item& item = items[i];
    const napi_value object = new_object(env);
    if (item.text != nullptr) set(env, object, "text", js_text(env, item.text, item.text_bytes));
    set(env, object, "score", js_number(env, item.score));
    set(env, object, "index", js_number(env, item.index));
    set(env, object, "id", js_number(env, item.id));
    set(env, object, "start", js_number(env, item.start));
    set(env, object, "end", js_number(env, item.end));
    check(napi_set_element(env, array, static_cast<uint32_t>(i), object));
  }
  return array;
}

napi_value js_error(napi_env env, bert_status status, const std::string& message) {
  napi_value error, text = js_text(env, message.data(), message.size());
  const char* name = bert_status_name(status);
  napi_value code = js_text(env, name, NAPI_AUTO_LENGTH);
  const bool is_argument = status == BERT_INVALID_ARGUMENT || status == BERT_INVALID_TEXT;
  check(is_argument ? napi_create_type_error(env, code, text, &error) : napi_create_error(env, code, text, &error));
  return error;
}

}  // namespace bert_node
