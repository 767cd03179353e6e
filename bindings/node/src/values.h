// Conversion of JavaScript values to C++ and back, and errors: JavaScript's exceptions and those of the C interface.
#pragma once

#include <node_api.h>

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "bert/bert.h"
#include "bert/bert_tasks.h"

namespace bert_node {

// Thrown if a JavaScript exception is pending, or if there is no memory for JavaScript values.
class Pending : public std::exception {};

void check(napi_status status);

class Failure : public std::runtime_error {
 public:
  Failure(bert_status reason, const std::string& message) : std::runtime_error(message), status(reason) {}
  const bert_status status;
};

void check(bert_status status);

std::string string_of(napi_env env, napi_value value);

std::vector<std::string> strings_of(napi_env env, napi_value array);

// value: an Int32Array.
std::vector<int32_t> ids_of(napi_env env, napi_value value);

bool is_given(napi_env env, napi_value value);

napi_value member_of(napi_env env, napi_value object, const char* name);

// Return a member of the object as an integer, a boolean or a text, or 0, false or "" if it is not given.
int64_t number_of(napi_env env, napi_value object, const char* name);

bool flag_of(napi_env env, napi_value object, const char* name);

// A text that may be absent. An absent text is null, which the C interface takes as the default. c_str throws Failure
// for a text with a zero character.
struct OptionalText {
  bool is_there = false;
  std::string text;
  const char* c_str() const;
};

OptionalText text_member(napi_env env, napi_value object, const char* name);

std::vector<std::string> texts_member(napi_env env, napi_value object, const char* name);

bert_text view(const std::string& text);

// Returns a null text if there is none.
bert_text view(const OptionalText& text);

std::vector<bert_text> views(const std::vector<std::string>& texts);

napi_value js_text(napi_env env, const char* text, size_t bytes);

template <class T>
napi_value js_number(napi_env env, T number) {
  napi_value value;
  check(napi_create_double(env, static_cast<double>(number), &value));
  return value;
}

napi_value new_object(napi_env env);

void set(napi_env env, napi_value object, const char* name, napi_value value);

// Returns a typed array with a copy of the values.
template <class T>
napi_value typed_array(napi_env env, napi_typedarray_type type, const T* values, size_t count) {
  void* data = nullptr;
  napi_value buffer, array;
  check(napi_create_arraybuffer(env, count * sizeof(T), &data, &buffer));
  if (count > 0) std::memcpy(data, values, count * sizeof(T));
  check(napi_create_typedarray(env, type, count, buffer, 0, &array));
  return array;
}

template <class T>
napi_value typed_array(napi_env env, napi_typedarray_type type, const std::vector<T>& values) {
  return typed_array(env, type, values.data(), values.size());
}

// Returns a Float64Array.
napi_value js_sizes(napi_env env, const size_t* values, size_t count);

// Returns an array of {text, score, index, id, start, end}.
napi_value js_items(napi_env env, const bert_item* items, size_t count);

napi_value js_error(napi_env env, bert_status status, const std::string& message);

// Calls a function of the module and converts C++ exceptions to JavaScript exceptions.
template <class Call>
napi_value guarded(napi_env env, const Call& call) noexcept {
  try {
    return call();
  } catch (const Pending&) {
    bool is_pending = false;
    napi_is_exception_pending(env, &is_pending);
    if (!is_pending) napi_throw_error(env, "BERT_OUT_OF_MEMORY", "no memory for a value of JavaScript");
  } catch (const Failure& failure) {
    try {
      napi_throw(env, js_error(env, failure.status, failure.what()));
    } catch (const Pending&) {
      napi_throw_error(env, bert_status_name(failure.status), failure.what());
    }
  } catch (const std::exception& error) {
    napi_throw_error(env, "BERT_OUT_OF_MEMORY", error.what());
  }
  return nullptr;
}

template <size_t count>
struct Arguments {
  Arguments(napi_env env, napi_callback_info info) {
    size_t given = count;
    check(napi_get_cb_info(env, info, &given, values, nullptr, nullptr));
  }
  napi_value operator[](size_t i) const { return values[i]; }
  napi_value values[count];
};

}  // namespace bert_node
