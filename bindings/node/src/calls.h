// The functions of the native module, in groups. Each one copies its arguments in the main thread.
#pragma once

#include <node_api.h>

namespace bert_node {

// load(directory or null, options) -> promise of a model
napi_value load(napi_env env, napi_callback_info info);
// release(model), releaseIndex(index): frees the memory when the calls that use it have ended, without waiting for the
// garbage collector
napi_value release(napi_env env, napi_callback_info info);
napi_value release_index(napi_env env, napi_callback_info info);
// describe(model) -> {hiddenSize, layers, heads, maxLength, precision, hasPooler, hasTokenizer, notices, maskId}
napi_value describe(napi_env env, napi_callback_info info);
// cancellation() -> an object to pass to embed; cancel(object) ends the call
napi_value cancellation(napi_env env, napi_callback_info info);
napi_value cancel(napi_env env, napi_callback_info info);

// tokenize(model, text, pair or null, options) -> {ids, typeIds, specialTokensMask, starts, ends, wordIds, sequenceIds,
// truncated}. It runs in the main thread, because a text takes microseconds.
napi_value tokenize(napi_env env, napi_callback_info info);
napi_value token_text(napi_env env, napi_callback_info info);  // tokenText(model, id) -> string
// decode(model, ids: Int32Array, skipSpecialTokens) -> string
napi_value decode(napi_env env, napi_callback_info info);

// embed(model, texts, options, cancellation) -> promise of {data: Float32Array [texts, size], size, truncatedTokens:
// [texts]}
napi_value embed(napi_env env, napi_callback_info info);
// embedSparse(model, texts, {maxActive, longText}, cancellation) -> promise of {starts, ids: Int32Array, weights:
// Float32Array, truncatedTokens: [texts]}
napi_value embed_sparse(napi_env env, napi_callback_info info);
// embedParts(model, text, options) -> promise of {data, size, starts, ends, truncatedTokens}. If options.role is given,
// there is a vector for each token, computed for that role; otherwise for each chunk of options.tokens or
// options.sentences.
napi_value embed_parts(napi_env env, napi_callback_info info);
// encode(model, ids: Int32Array, typeIds or null) -> promise of the last hidden state: Float32Array [ids, hidden]
napi_value encode(napi_env env, napi_callback_info info);
napi_value cosine(napi_env env, napi_callback_info info);      // cosine(a, b) -> number
napi_value max_sim(napi_env env, napi_callback_info info);     // maxSim(query, document, size) -> number
napi_value make_index(napi_env env, napi_callback_info info);  // index(vectors: Float32Array, size, scan) -> an index
// search(index, query: Float32Array, top) -> {row, score}[]
napi_value search(napi_env env, napi_callback_info info);

// task(model, name, inputs, options) -> promise of {results: {items, truncatedTokens, text}[], ranking}, as described
// in bert/bert_tasks.h. An input is {text, pair} or {words}; options are JSON.
napi_value run_task(napi_env env, napi_callback_info info);
// explain(model, "similarity", "labels" or "relevance", request) -> promise of {kind, function, noSum, outputs,
// remainders, first, second, terms}: as in bert/bert_explain.h
napi_value explain(napi_env env, napi_callback_info info);

}  // namespace bert_node
