// Vectors of texts: making, comparing and searching them.
#include "bindings/node/src/calls.h"

#include <algorithm>

#include "bindings/node/src/objects.h"
#include "bindings/node/src/promise.h"

namespace bert_node {

namespace {

constexpr size_t kThreadBytes = 1 << 20;
constexpr size_t kSparseEntries = 1024;  // entries per text for which the first call has room

// Returns a text's vectors and their places in the text.
napi_value js_vectors(napi_env env, const bert_vectors* vectors) {
  const size_t count = bert_vectors_count(vectors), size = bert_vectors_size(vectors);
  const napi_value object = new_object(env);
  set(env, object, "data", typed_array(env, napi_float32_array, bert_vectors_data(vectors), count * size));
  set(env, object, "size", js_number(env, size));
  const auto places = [&](const size_t* from) { return js_sizes(env, from, from == nullptr ? 0 : count); };
  set(env, object, "starts", places(bert_vectors_starts(vectors)));
  set(env, object, "ends", places(bert_vectors_ends(vectors)));
  set(env, object, "truncatedTokens", js_number(env, bert_vectors_truncated_tokens(vectors)));
  return object;
}

struct Floats {
  Floats(napi_env env, napi_value value) {
    napi_typedarray_type type;
    void* found = nullptr;
    check(napi_get_typedarray_info(env, value, &type, &count, &found, nullptr, nullptr));
    if (type != napi_float32_array) throw Failure(BERT_INVALID_ARGUMENT, "expected a Float32Array");
    data = static_cast<const float*>(found);
  }
  const float* data = nullptr;
  size_t count = 0;
};

// The addresses and sizes of texts, as the C interface takes them.
struct TextViews {
  explicit TextViews(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      data.push_back(text.data());
      bytes.push_back(text.size());
    }
  }
  std::vector<const char*> data;
  std::vector<size_t> bytes;
};

// A bert_progress. context: the atomic flag of a CancelPtr.
int goes_on(void* context, size_t, size_t) { return static_cast<std::atomic<bool>*>(context)->load() ? 0 : 1; }

// Returns the number of truncated tokens of each text.
napi_value js_truncated(napi_env env, const std::vector<bert_text_report>& reports) {
  std::vector<double> tokens;
  for (const bert_text_report& report : reports) tokens.push_back(static_cast<double>(report.truncated_tokens));
  return typed_array(env, napi_float64_array, tokens);
}

}  // namespace

napi_value embed(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments<4> arguments(env, info);
    struct State {
      ModelPtr model;
      std::vector<std::string> texts;
      OptionalText prompt;
      bert_embed_options options = BERT_EMBED_OPTIONS_INIT;
      CancelPtr cancel;
      std::vector<float> vectors;
      std::vector<bert_text_report> reports;
      size_t size = 0;
    };
    auto state = std::make_shared<State>();
    state->model = model_of(env, arguments[0]);
    state->texts = strings_of(env, arguments[1]);
    const napi_value options = arguments[2];
    state->prompt = text_member(env, options, "prompt");
    state->options.pooling = static_cast<int32_t>(number_of(env, options, "pooling"));
    state->options.normalize = static_cast<int32_t>(number_of(env, options, "normalize"));
    state->options.dimensions = static_cast<size_t>(number_of(env, options, "dimensions"));
    state->options.long_text = static_cast<int32_t>(number_of(env, options, "longText"));
    state->cancel = object_of<CancelPtr>(env, arguments[3], kCancelTag);
    return start(
        env,
        [state] {
          bert_embed_options& chosen = state->options;
          chosen.prompt = state->prompt.c_str();
          check(bert_embed_get_size(state->model.get(), &chosen, &state->size));
          state->vectors.resize(state->texts.size() * state->size);
          state->reports.resize(state->texts.size());
          const TextViews texts(state->texts);
          chosen.progress = goes_on;
          chosen.progress_context = state->cancel.get();
          check(bert_embed_texts(state->model.get(), texts.data.data(), texts.bytes.data(), texts.data.size(), &chosen,
                                 state->vectors.data(), state->vectors.size(), state->reports.data()));
        },
        [state](napi_env now) {
          const napi_value object = new_object(now);
          set(now, object, "data", typed_array(now, napi_float32_array, state->vectors));
          set(now, object, "size", js_number(now, state->size));
          set(now, object, "truncatedTokens", js_truncated(now, state->reports));
          return object;
        });
  });
}

napi_value embed_sparse(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments<4> arguments(env, info);
    struct State {
      ModelPtr model;
      std::vector<std::string> texts;
      bert_sparse_options options = BERT_SPARSE_OPTIONS_INIT;
      CancelPtr cancel;
      std::vector<size_t> starts;
      std::vector<int32_t> ids;
      std::vector<float> weights;
      std::vector<bert_text_report> reports;
    };
    auto state = std::make_shared<State>();
    state->model = model_of(env, arguments[0]);
    state->texts = strings_of(env, arguments[1]);
    state->options.max_active = static_cast<size_t>(number_of(env, arguments[2], "maxActive"));
    state->options.long_text = static_cast<int32_t>(number_of(env, arguments[2], "longText"));
    state->cancel = object_of<CancelPtr>(env, arguments[3], kCancelTag);
    return start(
        env,
        [state] {
          const TextViews texts(state->texts);
          const size_t count = texts.data.size();
          state->options.progress = goes_on;
          state->options.progress_context = state->cancel.get();
          state->starts.resize(count + 1);
          state->reports.resize(count);
          const size_t most = state->options.max_active;
          size_t room = count * (most > 0 ? std::min(most, kSparseEntries) : kSparseEntries);
          bert_status status;
          do {  // runs twice if the texts have more entries than expected
            state->ids.resize(room);
            state->weights.resize(room);
            status = bert_embed_sparse_texts(state->model.get(), texts.data.data(), texts.bytes.data(), count,
                                             &state->options, state->starts.data(), state->ids.data(),
                                             state->weights.data(), room, state->reports.data());
            room = state->starts[count];
          } while (status == BERT_BUFFER_TOO_SMALL);
          check(status);
          state->ids.resize(room);
          state->weights.resize(room);
        },
        [state](napi_env now) {
          const napi_value object = new_object(now);
          const std::vector<int32_t> starts(state->starts.begin(), state->starts.end());
          set(now, object, "starts", typed_array(now, napi_int32_array, starts));
          set(now, object, "ids", typed_array(now, napi_int32_array, state->ids));
          set(now, object, "weights", typed_array(now, napi_float32_array, state->weights));
          set(now, object, "truncatedTokens", js_truncated(now, state->reports));
          return object;
        });
  });
}

napi_value embed_parts(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments<3> arguments(env, info);
    struct State {
      ModelPtr model;
      std::string text;
      bool is_tokens = false;
      int32_t role = BERT_DOCUMENT;
      bert_chunk_options chunks = BERT_CHUNK_OPTIONS_INIT;
      bert_embed_options whole = BERT_EMBED_OPTIONS_INIT;
      std::unique_ptr<bert_vectors, decltype(&bert_vectors_free)> vectors{nullptr, bert_vectors_free};
    };
    auto state = std::make_shared<State>();
    state->model = model_of(env, arguments[0]);
    state->text = string_of(env, arguments[1]);
    const napi_value options = arguments[2];
    state->is_tokens = is_given(env, member_of(env, options, "role"));
    state->role = static_cast<int32_t>(number_of(env, options, "role"));
    state->chunks.tokens = static_cast<size_t>(number_of(env, options, "tokens"));
    state->chunks.sentences = flag_of(env, options, "sentences");
    state->chunks.offset_unit = BERT_UTF16;
    state->whole.long_text = static_cast<int32_t>(number_of(env, options, "longText"));
    state->chunks.embed = &state->whole;
    return start(
        env,
        [state] {
          bert_vectors* made = nullptr;
          check(state->is_tokens ? bert_embed_tokens(state->model.get(), view(state->text), state->role, &made)
                                 : bert_embed_chunks(state->model.get(), view(state->text), &state->chunks, &made));
          state->vectors.reset(made);
        },
        [state](napi_env now) { return js_vectors(now, state->vectors.get()); });
  });
}

napi_value encode(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments<3> arguments(env, info);
    struct State {
      ModelPtr model;
      std::vector<int32_t> ids, type_ids;
      std::vector<float> output;
    };
    auto state = std::make_shared<State>();
    state->model = model_of(env, arguments[0]);
    state->ids = ids_of(env, arguments[1]);
    if (is_given(env, arguments[2])) state->type_ids = ids_of(env, arguments[2]);
    return start(
        env,
        [state] {
          const int32_t* type_ids = state->type_ids.empty() ? nullptr : state->type_ids.data();
          const bert_sequence sequence = {state->ids.data(), type_ids, nullptr, state->ids.size()};
          bert_encode_sizes sizes = BERT_ENCODE_SIZES_INIT;
          check(bert_encode_get_sizes(state->model.get(), &sequence, &sizes));
          state->output.resize(sizes.last_hidden_state);
          bert_encode_buffers buffers = {};
          buffers.last_hidden_state = {state->output.data(), state->output.size()};
          check(bert_encode(state->model.get(), &sequence, 1, &buffers));
        },
        [state](napi_env now) { return typed_array(now, napi_float32_array, state->output); });
  });
}

napi_value cosine(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments<2> arguments(env, info);
    const Floats a(env, arguments[0]), b(env, arguments[1]);
    double result = 0;
    check(bert_cosine_similarity(a.data, b.data, a.count, &result));
    return js_number(env, result);
  });
}

napi_value max_sim(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments<3> arguments(env, info);
    const Floats query(env, arguments[0]), document(env, arguments[1]);
    uint32_t size = 0;
    check(napi_get_value_uint32(env, arguments[2], &size));
    double score = 0;
    check(bert_max_sim({query.data, size == 0 ? 0 : query.count / size, size},
                       {document.data, size == 0 ? 0 : document.count / size, size}, &score));
    return js_number(env, score);
  });
}

napi_value make_index(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments<3> arguments(env, info);
    const Floats vectors(env, arguments[0]);
    uint32_t size = 0;
    bert_index_options options = BERT_INDEX_OPTIONS_INIT;
    check(napi_get_value_uint32(env, arguments[1], &size));
    check(napi_get_value_int32(env, arguments[2], &options.scan));
    bert_index* index = nullptr;
    check(bert_index_create({vectors.data, size == 0 ? 0 : vectors.count / size, size}, &options, &index));
    // Counts the stacks of the index's threads, because a process can have only a limited number of threads.
    const size_t bytes = vectors.count * sizeof(float) + kThreadBytes;
    return js_object(env, IndexPtr(index, bert_index_free), kIndexTag, bytes);
  });
}

napi_value release_index(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() -> napi_value {
    const Arguments<1> arguments(env, info);
    pointer_in<IndexPtr>(env, arguments[0], kIndexTag).reset();
    return nullptr;
  });
}

napi_value search(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments<3> arguments(env, info);
    const IndexPtr index = object_of<IndexPtr>(env, arguments[0], kIndexTag);
    const Floats query(env, arguments[1]);
    if (query.count != bert_index_size(index.get())) {
      throw Failure(BERT_INVALID_ARGUMENT, "a query of " + std::to_string(query.count) + " numbers, expected " +
                                               std::to_string(bert_index_size(index.get())));
    }
    uint32_t top = 0;
    check(napi_get_value_uint32(env, arguments[2], &top));
    std::vector<bert_hit> hits(std::min<size_t>(top, bert_index_rows(index.get())));
    size_t found = 0;
    check(bert_index_search(index.get(), query.data, hits.size(), hits.data(), &found));
    napi_value array;
    check(napi_create_array_with_length(env, found, &array));
    for (size_t i = 0; i < found; ++i) {
      const napi_value object = new_object(env);
      set(env, object, "row", js_number(env, hits[i].row));
      set(env, object, "score", js_number(env, hits[i].score));
      check(napi_set_element(env, array, static_cast<uint32_t>(i), object));
    }
    return array;
  });
}

}  // namespace bert_node
