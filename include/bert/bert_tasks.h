// The C interface (C99) to the tasks of bert/task_settings.h: labels, entities, words for masks and answers of texts,
// the order of documents for a query, texts without names. A task is made by its name for a model, its options are set
// by theirs, and then it runs over any number of inputs.
//
//   bert_task* task = NULL;
//   bert_results* results = NULL;
//   const bert_input input = BERT_INPUT("A lovely film");
//   if (bert_task_new(model, "classify", &task) == BERT_OK && bert_task_set_size(task, "top_k", 1) == BERT_OK &&
//       bert_task_run(task, &input, 1, NULL, &results) == BERT_OK)
//     printf("%s %.3f\n", bert_results_items(results, 0, NULL)[0].text, bert_results_items(results, 0, NULL)[0].score);
//   bert_results_free(results);
//   bert_task_free(task);
//
// docs/TASKS.md lists the tasks and their options; bert/bert_task_options.h has their names as constants and a setter
// for each. Errors, texts and structures that may grow are as in bert/bert.h.
#ifndef BERT_BERT_TASKS_H
#define BERT_BERT_TASKS_H

#include "bert/bert.h"

#ifdef __cplusplus
extern "C" {
#endif

// A text of the caller. This structure never grows.
typedef struct bert_text {
  const char* data;  // UTF-8; NULL only if bytes is 0
  size_t bytes;      // BERT_TO_NUL: up to the first zero byte
} bert_text;

// A part of a result; each task says which fields it sets, the others are 0 and NULL. This structure never grows.
typedef struct bert_item {
  const char* text;  // UTF-8 of text_bytes bytes and a zero byte; the results own it
  size_t text_bytes;
  double score;
  size_t index;  // of the caller's labels, words or inputs, or of the text's masks, from 0
  int32_t id;    // of a token
  size_t start;  // in the text, in the run's unit, half-open
  size_t end;
} bert_item;

// ---- Tasks ----

// The description of all tasks and their options as JSON (docs/TASKS.md); never freed.
BERT_API const char* bert_tasks_json(void);

// A task of a model, which must outlive it. A setter must not run beside another call of the task; any number of
// threads may run it.
typedef struct bert_task bert_task;

// BERT_INVALID_ARGUMENT for an unknown name, with the known ones. The caller owns *task and frees it; it is NULL after
// an error.
BERT_API bert_status bert_task_new(const bert_model* model, const char* name, bert_task** task);
BERT_API void bert_task_free(bert_task* task);  // NULL is allowed

// Each sets an option by its name. BERT_INVALID_ARGUMENT, with the names or the values that are known, for an unknown
// option, a value of another type, an unknown word and a number out of range. A later call replaces the value.
BERT_API bert_status bert_task_set_word(bert_task* task, const char* option, const char* word);  // or a short text
BERT_API bert_status bert_task_set_size(bert_task* task, const char* option, size_t size);
BERT_API bert_status bert_task_set_double(bert_task* task, const char* option, double number);
BERT_API bert_status bert_task_set_bool(bert_task* task, const char* option, int flag);  // not 0: true
// A list of texts, or, with count 1, an option that takes one text.
BERT_API bert_status bert_task_set_texts(bert_task* task, const char* option, const bert_text* texts, size_t count);
// All members of a JSON object; null leaves the default.
BERT_API bert_status bert_task_set_json(bert_task* task, const char* json, size_t json_bytes);

// 1 if the task takes the option "labels" of this model, which reads labels with a text, else 0.
BERT_API int bert_model_reads_labels(const bert_model* model, const char* task);
// The id of the mask token; -1 if the model's tokenizer has none, and for NULL.
BERT_API int32_t bert_model_mask_id(const bert_model* model);

// ---- Runs ----

// What is read as one: a text, a text and its pair, or the words of a text. This structure never grows.
typedef struct bert_input {
  bert_text text;
  bert_text pair;          // data is NULL: none
  const bert_text* words;  // [word_count], in place of text, whose data is then NULL; NULL: none
  size_t word_count;
} bert_input;
// A text that ends with a zero byte.
#define BERT_INPUT(string) \
  { {(string), BERT_TO_NUL}, {NULL, 0}, NULL, 0 }

typedef struct bert_run_options {
  size_t struct_bytes;
  int32_t offset_unit;     // a bert_offset_unit, of all places in the results
  int json;                // not 0: the results have their JSON
  bert_progress progress;  // called between forward passes, to end a long run; NULL: none
  void* progress_context;
} bert_run_options;
#define BERT_RUN_OPTIONS_INIT \
  { sizeof(bert_run_options), BERT_BYTES, 0, NULL, NULL }

// The results of a run. The caller frees them; they do not depend on the task.
typedef struct bert_results bert_results;

// Reads the inputs, which are borrowed for the call, and writes *results: what each input has, in their order. If
// inputs fail, the call returns the status of the first one, with its message, and *results has those of the others.
// After any other error *results is NULL: one is an input with a part that the task does not read. options: NULL for
// the defaults.
BERT_API bert_status bert_task_run(const bert_task* task, const bert_input* inputs, size_t count,
                                   const bert_run_options* options, bert_results** results);

// The next input, whose memory must stay until the next call; 0 at the end. Called by one thread at a time, not
// always by that of the run.
typedef int (*bert_next)(void* context, bert_input* input);
// Takes the results of one input, which it must not free; 0 ends the run with BERT_CANCELLED. In the inputs' order, by
// the thread of the run.
typedef int (*bert_give)(void* context, size_t index, const bert_results* results);

// The same for inputs of any number, in bounded memory. A failed input does not end the run: its results say so.
// BERT_UNSUPPORTED for the task "choose", which compares all of its inputs.
BERT_API bert_status bert_task_stream(const bert_task* task, bert_next next, bert_give give, void* context,
                                      const bert_run_options* options);

// ---- Results ----

BERT_API void bert_results_free(bert_results* results);           // NULL is allowed
BERT_API size_t bert_results_count(const bert_results* results);  // inputs; 0 for NULL
// Of an input, from 0; of one past the last BERT_INVALID_ARGUMENT, 0 and NULL.
BERT_API bert_status bert_results_status(const bert_results* results, size_t input);
BERT_API const char* bert_results_message(const bert_results* results, size_t input);      // of its error, else ""
BERT_API size_t bert_results_truncated_tokens(const bert_results* results, size_t input);  // that were not read
// [*count]; count: NULL if it is not wanted.
BERT_API const bert_item* bert_results_items(const bert_results* results, size_t input, size_t* count);
// The text of "redact"; NULL of other tasks. bytes: NULL if it is not wanted.
BERT_API const char* bert_results_text(const bert_results* results, size_t input, size_t* bytes);
// What the program prints of the input as JSON (docs/OUTPUT.md): the value alone. NULL without bert_run_options.json.
BERT_API const char* bert_results_json(const bert_results* results, size_t input);
// Of "rerank" and "choose": the inputs, best first, as many as "top_k" says. NULL and 0 of other tasks.
BERT_API const size_t* bert_results_ranking(const bert_results* results, size_t* count);

#ifdef __cplusplus
}
#endif

#endif
