// The C interface (C99) to the tasks of bert/task_settings.h: classify texts, find entities, fill masks, answer
// questions, order documents for a query, redact names. A task is created by its name for a model; its options are set
// by their names; then it runs over any number of inputs.
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

// A part of a result. Each task says which fields it sets; the others are 0 or NULL. This structure never grows.
typedef struct bert_item {
  const char* text;  // UTF-8 of text_bytes bytes and a zero byte; the results own it
  size_t text_bytes;
  double score;
  size_t index;  // index from 0 of a label, word or input of the caller, or of a mask in the text
  int32_t id;    // a token's id
  size_t start;  // place in the text, in the run's unit; [start, end)
  size_t end;
} bert_item;

// ---- Tasks ----

// Returns the description of all tasks and their options as JSON (docs/TASKS.md); never freed.
BERT_API const char* bert_tasks_json(void);

// A task of a model; the model must outlive it. Any number of threads may run a task, but no other call may use it
// while a setter runs.
typedef struct bert_task bert_task;

// Creates the task `name`. Returns BERT_INVALID_ARGUMENT for an unknown name; the message lists the known names. The
// caller owns *task and frees it; it is NULL after an error.
BERT_API bert_status bert_task_new(const bert_model* model, const char* name, bert_task** task);
BERT_API void bert_task_free(bert_task* task);  // NULL is allowed

// Each setter sets the option named `option`; a later call replaces the value. Returns BERT_INVALID_ARGUMENT for an
// unknown option, a value of another type, an unknown word or a number out of range; the message lists the known
// options or values.
BERT_API bert_status bert_task_set_word(bert_task* task, const char* option, const char* word);  // a word, or a short
                                                                                                 // text
BERT_API bert_status bert_task_set_size(bert_task* task, const char* option, size_t size);
BERT_API bert_status bert_task_set_double(bert_task* task, const char* option, double number);
BERT_API bert_status bert_task_set_bool(bert_task* task, const char* option, int flag);  // not 0: true
// Sets a list of texts, or, with count 1, an option that takes one text.
BERT_API bert_status bert_task_set_texts(bert_task* task, const char* option, const bert_text* texts, size_t count);
// Sets all members of a JSON object; null leaves the default.
BERT_API bert_status bert_task_set_json(bert_task* task, const char* json, size_t json_bytes);

// Returns 1 if the task takes the option "labels" with this model, which then reads the labels with the text; else 0.
BERT_API int bert_model_reads_labels(const bert_model* model, const char* task);
// Returns the id of the mask token; -1 if the model's tokenizer has none or model is NULL.
BERT_API int32_t bert_model_mask_id(const bert_model* model);

// ---- Runs ----

// One input of a task: a text, a text and its pair, or the words of a text. This structure never grows.
typedef struct bert_input {
  bert_text text;
  bert_text pair;          // data is NULL: none
  const bert_text* words;  // [word_count], instead of text, whose data is then NULL; NULL: none
  size_t word_count;
} bert_input;
// An input that is a text with a zero byte at its end.
#define BERT_INPUT(string) \
  { {(string), BERT_TO_NUL}, {NULL, 0}, NULL, 0 }

typedef struct bert_run_options {
  size_t struct_bytes;
  int32_t offset_unit;     // a bert_offset_unit, for all places in the results
  int json;                // not 0: the results include JSON
  bert_progress progress;  // called between forward passes, to end a long run; NULL: none
  void* progress_context;
} bert_run_options;
#define BERT_RUN_OPTIONS_INIT \
  { sizeof(bert_run_options), BERT_BYTES, 0, NULL, NULL }

// The results of a run. The caller frees them; they do not depend on the task.
typedef struct bert_results bert_results;

// Runs the task on the inputs, which are borrowed for the call, and writes *results: the results of each input, in
// their order. If inputs fail, the call returns the status of the first failed input, with its message, and *results
// has the results of the others. After any other error, such as an input with a part that the task does not read,
// *results is NULL. options: NULL for the defaults.
BERT_API bert_status bert_task_run(const bert_task* task, const bert_input* inputs, size_t count,
                                   const bert_run_options* options, bert_results** results);

// Writes the next input, whose memory must stay valid until the next call; returns 0 at the end. Called by one thread
// at a time, not always by the thread that called bert_task_stream.
typedef int (*bert_next)(void* context, bert_input* input);
// Receives the results of one input, which it must not free; returning 0 ends the run with BERT_CANCELLED. Called in
// the inputs' order, by the thread that called bert_task_stream.
typedef int (*bert_give)(void* context, size_t index, const bert_results* results);

// Runs the task on any number of inputs in bounded memory. A failed input does not end the run: its results say so.
// Returns BERT_UNSUPPORTED for the task "choose", which compares all of its inputs.
BERT_API bert_status bert_task_stream(const bert_task* task, bert_next next, bert_give give, void* context,
                                      const bert_run_options* options);

// ---- Results ----

BERT_API void bert_results_free(bert_results* results);           // NULL is allowed
BERT_API size_t bert_results_count(const bert_results* results);  // number of inputs; 0 for NULL
// Results of the input with this index, from 0. For an index past the last: BERT_INVALID_ARGUMENT, 0 or NULL.
BERT_API bert_status bert_results_status(const bert_results* results, size_t input);
BERT_API const char* bert_results_message(const bert_results* results, size_t input);      // the input's error, or ""
BERT_API size_t bert_results_truncated_tokens(const bert_results* results, size_t input);  // tokens that were not read
// Returns the input's items: [*count]. count: NULL if it is not wanted.
BERT_API const bert_item* bert_results_items(const bert_results* results, size_t input, size_t* count);
// Returns the text that "redact" made; NULL for other tasks. bytes: NULL if it is not wanted.
BERT_API const char* bert_results_text(const bert_results* results, size_t input, size_t* bytes);
// Returns the JSON value that the program prints for the input (docs/OUTPUT.md). NULL without bert_run_options.json.
BERT_API const char* bert_results_json(const bert_results* results, size_t input);
// Returns the inputs of "rerank" or "choose", best first, at most "top_k". NULL and 0 for other tasks.
BERT_API const size_t* bert_results_ranking(const bert_results* results, size_t* count);

#ifdef __cplusplus
}
#endif

#endif
