// The native part of the package. It makes promises of Node-API over the C interface (bert/bert*.h) and uses no other
// part of the library. index.js checks the arguments and shapes the results.
#include <utility>

#include "bindings/node/src/calls.h"
#include "bindings/node/src/values.h"

namespace bert_node {

namespace {

napi_value make_module(napi_env env, napi_value exports) {
  return guarded(env, [&] {
    static constexpr std::pair<const char*, napi_callback> kFunctions[] = {
        {"load", load},
        {"release", release},
        {"releaseIndex", release_index},
        {"describe", describe},
        {"cancellation", cancellation},
        {"cancel", cancel},
        {"embed", embed},
        {"embedSparse", embed_sparse},
        {"embedParts", embed_parts},
        {"tokenize", tokenize},
        {"tokenText", token_text},
        {"decode", decode},
        {"encode", encode},
        {"task", run_task},
        {"explain", explain},
        {"cosine", cosine},
        {"maxSim", max_sim},
        {"index", make_index},
        {"search", search},
    };
    for (const auto& [name, function] : kFunctions) {
      napi_value value;
      check(napi_create_function(env, name, NAPI_AUTO_LENGTH, function, nullptr, &value));
      set(env, exports, name, value);
    }
    set(env, exports, "tasks", js_text(env, bert_tasks_json(), NAPI_AUTO_LENGTH));
    set(env, exports, "version", js_text(env, bert_version(), NAPI_AUTO_LENGTH));
    return exports;
  });
}

}  // namespace
}  // namespace bert_node

NAPI_MODULE_INIT() { return bert_node::make_module(env, exports); }
