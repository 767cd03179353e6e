// The C interface (C99) to bert/text_tasks.h: a text's labels, entities, words for its masks and answers, and the order
// of documents for a query, each in one call.
//
//   bert_items* items = NULL;
//   bert_text text = {"A lovely film", BERT_TO_NUL};
//   if (bert_classify(model, text, NULL, &items) == BERT_OK)
//     printf("%s %.3f\n", bert_items_data(items)[0].text, bert_items_data(items)[0].score);
//   bert_items_free(items);
//
// Errors, texts and structures that may grow are as in bert/bert.h. BERT_NOT_FOUND for a model without the head.
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

// A part of a result; each call says which fields it sets, the others are 0 and NULL. This structure never grows.
typedef struct bert_item {
  const char* text;  // UTF-8 of text_bytes bytes and a zero byte; the results own it
  size_t text_bytes;
  double score;
  size_t index;  // of the caller's labels or documents, or of the text's masks, from 0
  int32_t id;    // of a token
  size_t start;  // in the text, in the options' unit, half-open
  size_t end;
} bert_item;

// The results of one call, in its order. The caller frees them; they do not depend on the model.
typedef struct bert_items bert_items;

BERT_API size_t bert_items_count(const bert_items* items);           // 0 for NULL
BERT_API const bert_item* bert_items_data(const bert_items* items);  // [count]; NULL for NULL and for none
BERT_API void bert_items_free(bert_items* items);                    // NULL is allowed
// The tokens of the call's texts that were not read; 0 for NULL.
BERT_API size_t bert_items_truncated_tokens(const bert_items* items);

// In the options of each call: long_text is a bert_long_text (bert/bert.h); BERT_LONG_TEXT_DEFAULT reads windows where
// `windows` or the stride is set. progress is called between forward passes, to end a long call; NULL: none.
// Each call writes *items, NULL after an error. options: NULL for the defaults.

// How the windows of a text that is too long, which share `stride` tokens, give one score.
typedef enum bert_windows BERT_ENUM_TYPE {
  BERT_NO_WINDOWS = 0,      // no windows, unless long_text asks for them; then the mean
  BERT_WINDOWS_MEAN = 1,    // a label's score is the mean of its windows'
  BERT_WINDOWS_LARGEST = 2  // the largest
} bert_windows;

typedef struct bert_classify_options {
  size_t struct_bytes;
  bert_text pair;   // the text's second part, if data is not NULL
  int32_t windows;  // a bert_windows
  size_t stride;
  int32_t long_text;
  bert_progress progress;
  void* progress_context;
} bert_classify_options;
#define BERT_CLASSIFY_OPTIONS_INIT \
  { sizeof(bert_classify_options), {NULL, 0}, BERT_NO_WINDOWS, 0, BERT_LONG_TEXT_DEFAULT, NULL, NULL }

// All labels (text) with their scores, best first.
BERT_API bert_status bert_classify(const bert_model* model, bert_text text, const bert_classify_options* options,
                                   bert_items** items);

typedef struct bert_zero_shot_options {
  size_t struct_bytes;
  const char* hypothesis_template;  // with {} for the label; NULL: "This example is {}."
  int multi_label;                  // not 0: each score stands alone
  int32_t windows;                  // a bert_windows, of the text
  size_t stride;
  int32_t long_text;
  bert_progress progress;
  void* progress_context;
} bert_zero_shot_options;
#define BERT_ZERO_SHOT_OPTIONS_INIT \
  { sizeof(bert_zero_shot_options), NULL, 0, BERT_NO_WINDOWS, 0, BERT_LONG_TEXT_DEFAULT, NULL, NULL }

// The candidate labels (text, index) with their scores, best first, by a classifier of natural language inference.
// labels: [count], at least one.
BERT_API bert_status bert_zero_shot(const bert_model* model, bert_text text, const bert_text* labels, size_t count,
                                    const bert_zero_shot_options* options, bert_items** items);

typedef enum bert_aggregation BERT_ENUM_TYPE {
  BERT_AGGREGATION_SIMPLE = 0,  // adjacent tokens of one kind together
  BERT_AGGREGATION_NONE = 1,    // each token
  BERT_AGGREGATION_FIRST = 2,   // words, each with the label of its first token
  BERT_AGGREGATION_AVERAGE = 3,
  BERT_AGGREGATION_MAX = 4
} bert_aggregation;

// What the letter before a label's kind means.
typedef enum bert_tag_scheme BERT_ENUM_TYPE {
  BERT_SCHEME_FROM_LABELS = 0,  // that of the model's labels
  BERT_SCHEME_IOB = 1,          // "B-" begins an entity, "I-" goes on; other letters are part of the kind
  BERT_SCHEME_BIOES = 2,        // and "E-" ends one, "S-" is one alone
  BERT_SCHEME_BILOU = 3         // the same of "L-" and "U-"
} bert_tag_scheme;

typedef struct bert_tag_options {
  size_t struct_bytes;
  int32_t aggregation;  // a bert_aggregation
  size_t stride;        // tokens that two windows of a long text share; 0: 32
  int32_t offset_unit;  // a bert_offset_unit
  int32_t scheme;       // a bert_tag_scheme
  int32_t long_text;
  bert_progress progress;
  void* progress_context;
} bert_tag_options;
#define BERT_TAG_OPTIONS_INIT                                                                                          \
  {                                                                                                                    \
    sizeof(bert_tag_options), BERT_AGGREGATION_SIMPLE, 0, BERT_BYTES, BERT_SCHEME_FROM_LABELS, BERT_LONG_TEXT_DEFAULT, \
        NULL, NULL                                                                                                     \
  }

// The entities of a token classifier (text: the label, score, start, end), in the text's order. bert_find_entities
// (bert/bert_labels.h) finds them by labels of the caller.
BERT_API bert_status bert_tag(const bert_model* model, bert_text text, const bert_tag_options* options,
                              bert_items** items);

// The id of the mask token; -1 if the model's tokenizer has none, and for NULL.
BERT_API int32_t bert_model_mask_id(const bert_model* model);

typedef struct bert_fill_mask_options {
  size_t struct_bytes;
  size_t top_k;              // 0: 5
  const bert_text* targets;  // [target_count]: only these tokens of the vocabulary
  size_t target_count;       // 0: all
  int32_t long_text;         // not BERT_LONG_TEXT_WINDOWS
} bert_fill_mask_options;
#define BERT_FILL_MASK_OPTIONS_INIT \
  { sizeof(bert_fill_mask_options), 0, NULL, 0, BERT_LONG_TEXT_DEFAULT }

// For each mask (index) the tokens that fit best (text, id, score). BERT_INVALID_TEXT for a text without a mask.
BERT_API bert_status bert_fill_masks(const bert_model* model, bert_text text, const bert_fill_mask_options* options,
                                     bert_items** items);

typedef struct bert_answer_options {
  size_t struct_bytes;
  size_t top_k;              // 0: 1
  size_t max_answer_tokens;  // 0: 15
  int no_answer;             // not 0: "" can be the best answer
  int any_bounds;            // not 0: an answer may begin and end within a word
  int32_t offset_unit;       // a bert_offset_unit
} bert_answer_options;
#define BERT_ANSWER_OPTIONS_INIT \
  { sizeof(bert_answer_options), 0, 0, 0, 0, BERT_BYTES }

// The parts of the context that answer the question (text, score, start, end), best first.
BERT_API bert_status bert_answer(const bert_model* model, bert_text question, bert_text context,
                                 const bert_answer_options* options, bert_items** items);

typedef struct bert_rerank_options {
  size_t struct_bytes;
  const char* prompt;          // one of the model's prompts; NULL: its default, if any
  const char* relevant_label;  // of a classifier of two labels, the one that is the score; NULL: "relevant"
  int32_t windows;             // a bert_windows, of a document: its best window's score is its own
  size_t stride;
  int32_t long_text;
  bert_progress progress;
  void* progress_context;
} bert_rerank_options;
#define BERT_RERANK_OPTIONS_INIT \
  { sizeof(bert_rerank_options), NULL, NULL, BERT_NO_WINDOWS, 0, BERT_LONG_TEXT_DEFAULT, NULL, NULL }

// The documents (index) by how well they fit the query (score), best first: by a classifier, by MaxSim of a
// late-interaction model, or by the similarity of vectors. documents: [count].
BERT_API bert_status bert_rerank(const bert_model* model, bert_text query, const bert_text* documents, size_t count,
                                 const bert_rerank_options* options, bert_items** items);

#ifdef __cplusplus
}
#endif

#endif
