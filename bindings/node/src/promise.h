// JavaScript promises for calls that a thread of libuv's pool computes.
#pragma once

#include <functional>

#include "bindings/node/src/values.h"

namespace bert_node {

// Returns a promise. `compute` runs in a thread of the pool and must not use the environment; an exception from it,
// such as a Failure, rejects the promise. Then `result` makes the promise's value in the thread of `env`. Throws
// Pending.
napi_value start(napi_env env, std::function<void()> compute, std::function<napi_value(napi_env)> result);

}  // namespace bert_node
