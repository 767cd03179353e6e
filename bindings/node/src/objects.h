// JavaScript objects that hold the library's objects. A library object is shared: it lives until its last call has
// ended and JavaScript has no reference to it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "bert/bert_vectors.h"
#include "bindings/node/src/values.h"

namespace bert_node {

constexpr napi_type_tag kModelTag = {0x1c5f6a1e2b7d4c03, 0x9e0a55d0c1f24e61};
constexpr napi_type_tag kIndexTag = {0x1c5f6a1e2b7d4c03, 0x9e0a55d0c1f24e62};
constexpr napi_type_tag kCancelTag = {0x1c5f6a1e2b7d4c03, 0x9e0a55d0c1f24e63};

using ModelPtr = std::shared_ptr<bert_model>;
using IndexPtr = std::shared_ptr<bert_index>;
using CancelPtr = std::shared_ptr<std::atomic<bool>>;

// bytes: the memory behind the object, which the garbage collector is told.
template <class Pointer>
napi_value js_object(napi_env env, Pointer pointer, const napi_type_tag& tag, size_t bytes = 0) {
  auto* kept = new Pointer(std::move(pointer));
  const auto finalize = [](napi_env now, void* data, void* size) {
    int64_t all = 0;
    napi_adjust_external_memory(now, -static_cast<int64_t>(reinterpret_cast<uintptr_t>(size)), &all);
    delete static_cast<Pointer*>(data);
  };
  napi_value object;
  if (napi_create_external(env, kept, finalize, reinterpret_cast<void*>(bytes), &object) != napi_ok) {
    delete kept;
    throw Pending();
  }
  int64_t all = 0;
  check(napi_adjust_external_memory(env, static_cast<int64_t>(bytes), &all));
  check(napi_type_tag_object(env, object, &tag));
  return object;
}

// Returns the pointer that the object holds; null after a release.
template <class Pointer>
Pointer& pointer_in(napi_env env, napi_value value, const napi_type_tag& tag) {
  bool is_one = false;
  napi_valuetype type;
  check(napi_typeof(env, value, &type));
  if (type == napi_external) check(napi_check_object_type_tag(env, value, &tag, &is_one));
  if (!is_one) throw Failure(BERT_INVALID_ARGUMENT, "the object is closed, or of another kind");
  void* data = nullptr;
  check(napi_get_value_external(env, value, &data));
  return *static_cast<Pointer*>(data);
}

template <class Pointer>
Pointer object_of(napi_env env, napi_value value, const napi_type_tag& tag) {
  const Pointer& pointer = pointer_in<Pointer>(env, value, tag);
  if (pointer == nullptr) throw Failure(BERT_INVALID_ARGUMENT, "the object is closed, or of another kind");
  return pointer;
}

inline ModelPtr model_of(napi_env env, napi_value value) { return object_of<ModelPtr>(env, value, kModelTag); }

}  // namespace bert_node
