// A promise whose call is computed in a thread of libuv's pool.
#pragma once

#include <functional>

#include "bindings/node/src/values.h"

namespace bert_node {

// compute runs in a thread of the pool, and may throw a Failure; result makes the promise's value in the main thread.
napi_value start(napi_env env, std::function<void()> compute, std::function<napi_value(napi_env)> result);

}  // namespace bert_node
