// Calls whose arguments contain no pointers, because Go memory that contains pointers to Go memory must not be passed
// to C. Many texts are passed as one block with the size of each text. A call ends early if *is_cancelled is set.
#ifndef BERT_GO_CALLS_H
#define BERT_GO_CALLS_H

#include <stdlib.h>
#include <string.h>

#include "bert/bert_explain.h"
#include "bert/bert_vectors.h"

static inline int bert_go_on(void* is_cancelled, size_t texts, size_t tokens) {
  (void)texts, (void)tokens;
  return !__atomic_load_n((const int32_t*)is_cancelled, __ATOMIC_RELAXED);
}

static inline void bert_go_cancel(int32_t* is_cancelled) { __atomic_store_n(is_cancelled, 1, __ATOMIC_RELAXED); }

static inline bert_status bert_go_embed_text(const bert_model* model, _GoString_ text, bert_embed_options options,
                                             float* vector, size_t capacity, bert_text_report* report) {
  options.report = report;
  return bert_embed_text(model, _GoStringPtr(text), _GoStringLen(text), &options, vector, capacity);
}

// Returns the address at which each text of the block begins; the caller frees the array. NULL if there is no memory.
static inline const char** bert_go_starts(const char* block, const size_t* bytes, size_t count) {
  const char** starts = malloc((count + 1) * sizeof *starts);
  for (size_t i = 0; starts != NULL && i < count; block += bytes[i++]) starts[i] = block;
  return starts;
}

static inline bert_status bert_go_embed_texts(const bert_model* model, const char* block, const size_t* bytes,
                                              size_t count, bert_embed_options options, int32_t* is_cancelled,
                                              float* vectors, size_t capacity, bert_text_report* reports) {
  const char** starts = bert_go_starts(block, bytes, count);
  if (starts == NULL) return BERT_OUT_OF_MEMORY;
  if (is_cancelled != NULL) options.progress = bert_go_on;
  options.progress_context = is_cancelled;
  const bert_status status = bert_embed_texts(model, starts, bytes, count, &options, vectors, capacity, reports);
  free(starts);
  return status;
}

static inline bert_status bert_go_embed_sparse(const bert_model* model, const char* block, const size_t* bytes,
                                               size_t count, bert_sparse_options options, int32_t* is_cancelled,
                                               size_t* rows, int32_t* ids, float* weights, size_t capacity) {
  const char** starts = bert_go_starts(block, bytes, count);
  if (starts == NULL) return BERT_OUT_OF_MEMORY;
  if (is_cancelled != NULL) options.progress = bert_go_on;
  options.progress_context = is_cancelled;
  const bert_status status =
      bert_embed_sparse_texts(model, starts, bytes, count, &options, rows, ids, weights, capacity, NULL);
  free(starts);
  return status;
}

// sizes: the numbers of tokens, truncated tokens and unknown tokens.   offsets: [2, capacity]: all begins, then all
// ends.
static inline bert_status bert_go_tokenize(const bert_model* model, _GoString_ text, _GoString_ pair, int has_pair,
                                           bert_tokenize_options options, size_t capacity, int32_t* ids,
                                           int32_t* type_ids, uint8_t* special, size_t* offsets, int32_t* words,
                                           int32_t* sequences, size_t* sizes) {
  bert_tokens tokens = {
      sizeof tokens, capacity,  ids, type_ids, special, offsets, offsets == NULL ? NULL : offsets + capacity,
      words,         sequences, 0,   0,        0,       NULL,    NULL};
  const char* second = _GoStringLen(pair) == 0 ? "" : _GoStringPtr(pair);
  const bert_status status = bert_tokenize(bert_model_tokenizer(model), _GoStringPtr(text), _GoStringLen(text),
                                           has_pair ? second : NULL, _GoStringLen(pair), &options, &tokens);
  sizes[0] = tokens.size, sizes[1] = tokens.truncated_tokens, sizes[2] = tokens.unknown_tokens;
  return status;
}

// sizes: the numbers of floats of both outputs; they are set if states is NULL.
static inline bert_status bert_go_encode(const bert_model* model, const int32_t* ids, const int32_t* type_ids,
                                         size_t count, float* states, float* pooled, size_t* sizes) {
  const bert_sequence sequence = {ids, type_ids, NULL, count};
  if (states == NULL) {
    bert_encode_sizes found = BERT_ENCODE_SIZES_INIT;
    const bert_status status = bert_encode_get_sizes(model, &sequence, &found);
    sizes[0] = found.last_hidden_state, sizes[1] = found.pooler_output;
    return status;
  }
  const bert_encode_buffers buffers = {{states, sizes[0]}, {pooled, sizes[1]}, {NULL, 0}, {NULL, 0}};
  return bert_encode(model, &sequence, 1, &buffers);
}

static inline bert_text bert_go_text(_GoString_ text) {
  const bert_text made = {_GoStringLen(text) == 0 ? "" : _GoStringPtr(text), _GoStringLen(text)};
  return made;
}

static inline bert_status bert_go_embed_tokens(const bert_model* model, _GoString_ text, int32_t role,
                                               bert_vectors** vectors) {
  return bert_embed_tokens(model, bert_go_text(text), role, vectors);
}

static inline bert_status bert_go_embed_chunks(const bert_model* model, _GoString_ text, bert_chunk_options options,
                                               bert_embed_options embed, bert_vectors** vectors) {
  options.embed = &embed;
  return bert_embed_chunks(model, bert_go_text(text), &options, vectors);
}

// kind: 0: similarity, 1: labels, 2: relevance.
static inline bert_status bert_go_explain(const bert_model* model, int kind, _GoString_ a, _GoString_ b, int has_b,
                                          bert_explain_options options, bert_explanation** why) {
  const bert_text none = {NULL, 0}, second = has_b ? bert_go_text(b) : none;
  if (kind == 0) return bert_explain_similarity(model, bert_go_text(a), second, &options, why);
  if (kind == 1) return bert_explain_labels(model, bert_go_text(a), second, &options, why);
  return bert_explain_relevance(model, bert_go_text(a), second, &options, why);
}

static inline bert_vector_rows bert_go_rows(const float* data, size_t count, size_t size) {
  const bert_vector_rows rows = {data, count, size};
  return rows;
}

static inline bert_status bert_go_max_sim(const float* a, size_t a_count, const float* b, size_t b_count, size_t size,
                                          double* score) {
  return bert_max_sim(bert_go_rows(a, a_count, size), bert_go_rows(b, b_count, size), score);
}

static inline bert_status bert_go_index(const char* file, const float* data, size_t count, size_t size,
                                        bert_index_options options, bert_index** index) {
  if (file == NULL) return bert_index_create(bert_go_rows(data, count, size), &options, index);
  return bert_index_write(file, bert_go_rows(data, count, size), &options);
}

// Runs a task. parts has a number for each input: one more than the number of its words; 0: the input is a text; -1: a
// text and its pair.
static inline bert_status bert_go_run(const bert_model* model, const char* name, _GoString_ options, const char* block,
                                      const size_t* bytes, size_t pieces, const int32_t* parts, size_t count, int json,
                                      int32_t* is_cancelled, bert_results** results) {
  bert_task* task = NULL;
  bert_text* texts = malloc((pieces + 1) * sizeof *texts);
  bert_input* inputs = calloc(count + 1, sizeof *inputs);
  bert_status status =
      texts == NULL || inputs == NULL ? BERT_OUT_OF_MEMORY : bert_task_new(model, name == NULL ? "" : name, &task);
  if (status == BERT_OK) status = bert_task_set_json(task, _GoStringPtr(options), _GoStringLen(options));
  if (status == BERT_OK) {
    for (size_t i = 0; i < pieces; block += bytes[i++]) texts[i].data = block, texts[i].bytes = bytes[i];
    const bert_text* next = texts;
    for (size_t i = 0; i < count; ++i) {
      if (parts[i] > 0) {
        inputs[i].words = next, inputs[i].word_count = (size_t)parts[i] - 1;
        next += parts[i] - 1;
      } else {
        inputs[i].text = *next++;
        if (parts[i] < 0) inputs[i].pair = *next++;
      }
    }
    bert_run_options how = BERT_RUN_OPTIONS_INIT;
    how.json = json;
    if (is_cancelled != NULL) how.progress = bert_go_on;
    how.progress_context = is_cancelled;
    status = bert_task_run(task, inputs, count, &how, results);
  }
  bert_task_free(task);
  free(texts);
  free(inputs);
  return status;
}

#endif
