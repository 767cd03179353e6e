// The names of the tasks and of their options (bert/bert_tasks.h), and a setter for each option of each task, as
// tools/tasks/write_types.py writes them from the description of the tasks. A misspelled option is an error of the
// compiler here; each setter returns what bert_task_set_* returns.
//
//   bert_task* task = NULL;
//   if (bert_task_new(model, BERT_TASK_TAG, &task) == BERT_OK &&
//       bert_tag_set_aggregation(task, "first") == BERT_OK)
//     puts("entities have whole words");
//   bert_task_free(task);
#ifndef BERT_BERT_TASK_OPTIONS_H
#define BERT_BERT_TASK_OPTIONS_H

#include "bert/bert_tasks.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Names ----

#define BERT_TASK_CLASSIFY "classify"
#define BERT_TASK_ZERO_SHOT "zero_shot"
#define BERT_TASK_TAG "tag"
#define BERT_TASK_FILL_MASK "fill_mask"
#define BERT_TASK_ANSWER "answer"
#define BERT_TASK_NEXT_SENTENCE "next_sentence"
#define BERT_TASK_CHOOSE "choose"
#define BERT_TASK_RERANK "rerank"
#define BERT_TASK_REDACT "redact"

#define BERT_OPTION_AGGREGATION "aggregation"
#define BERT_OPTION_ALIGN_TO_WORDS "align_to_words"
#define BERT_OPTION_EXPRESSIONS "expressions"
#define BERT_OPTION_HYPOTHESIS_TEMPLATE "hypothesis_template"
#define BERT_OPTION_KEY "key"
#define BERT_OPTION_LABELS "labels"
#define BERT_OPTION_LONG_TEXT "long_text"
#define BERT_OPTION_MASK "mask"
#define BERT_OPTION_MAX_ANSWER_TOKENS "max_answer_tokens"
#define BERT_OPTION_MULTI_LABEL "multi_label"
#define BERT_OPTION_NAMES "names"
#define BERT_OPTION_NESTED "nested"
#define BERT_OPTION_NO_ANSWER "no_answer"
#define BERT_OPTION_ONLY "only"
#define BERT_OPTION_PROMPT "prompt"
#define BERT_OPTION_PROMPT_TEXT "prompt_text"
#define BERT_OPTION_QUERY "query"
#define BERT_OPTION_RELEVANT_LABEL "relevant_label"
#define BERT_OPTION_REPLACE "replace"
#define BERT_OPTION_SCHEME "scheme"
#define BERT_OPTION_STRIDE "stride"
#define BERT_OPTION_TARGETS "targets"
#define BERT_OPTION_TEXT "text"
#define BERT_OPTION_THRESHOLD "threshold"
#define BERT_OPTION_TOP_K "top_k"
#define BERT_OPTION_WINDOW_SCORES "window_scores"
#define BERT_OPTION_WINDOW_TOKENS "window_tokens"

// ---- classify: the labels of a text or a pair, best first: a classifier's own, or those that the caller names

// The labels to choose from, for a model that reads labels (GLiClass).
static inline bert_status bert_classify_set_labels(bert_task* task, const bert_text* texts, size_t count) {
  return bert_task_set_texts(task, BERT_OPTION_LABELS, texts, count);
}

// With labels, the name of each label in the results, so that a label can be a description. Needs labels.
static inline bert_status bert_classify_set_names(bert_task* task, const bert_text* texts, size_t count) {
  return bert_task_set_texts(task, BERT_OPTION_NAMES, texts, count);
}

// With labels, each label is scored independently, from 0 to 1. Needs labels.
static inline bert_status bert_classify_set_multi_label(bert_task* task, int flag) {
  return bert_task_set_bool(task, BERT_OPTION_MULTI_LABEL, flag);
}

// The largest number of labels for each text. At least 1.
static inline bert_status bert_classify_set_top_k(bert_task* task, size_t size) {
  return bert_task_set_size(task, BERT_OPTION_TOP_K, size);
}

// How a label's scores in the windows of a long text become one: their mean, or the largest. One of mean, largest.
// Default: "mean".
static inline bert_status bert_classify_set_window_scores(bert_task* task, const char* word) {
  return bert_task_set_word(task, BERT_OPTION_WINDOW_SCORES, word);
}

// What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows reads all
// of it in windows, error refuses it. One of cut, windows, error. Default: "cut".
static inline bert_status bert_classify_set_long_text(bert_task* task, const char* word) {
  return bert_task_set_word(task, BERT_OPTION_LONG_TEXT, word);
}

// The number of tokens that a window of a long text shares with the next window.
static inline bert_status bert_classify_set_stride(bert_task* task, size_t size) {
  return bert_task_set_size(task, BERT_OPTION_STRIDE, size);
}

// ---- zero_shot: the candidate labels of a text, best first, by a classifier of natural language inference

// The labels to choose from. Required.
static inline bert_status bert_zero_shot_set_labels(bert_task* task, const bert_text* texts, size_t count) {
  return bert_task_set_texts(task, BERT_OPTION_LABELS, texts, count);
}

// The sentence that is tested for each label, with {} in the place of the label. Default: "This example is {}.".
static inline bert_status bert_zero_shot_set_hypothesis_template(bert_task* task, const char* text) {
  return bert_task_set_word(task, BERT_OPTION_HYPOTHESIS_TEMPLATE, text);
}

// Each label is scored independently, because several may apply.
static inline bert_status bert_zero_shot_set_multi_label(bert_task* task, int flag) {
  return bert_task_set_bool(task, BERT_OPTION_MULTI_LABEL, flag);
}

// The largest number of labels for each text. At least 1.
static inline bert_status bert_zero_shot_set_top_k(bert_task* task, size_t size) {
  return bert_task_set_size(task, BERT_OPTION_TOP_K, size);
}

// How a label's scores in the windows of a long text become one: their mean, or the largest. One of mean, largest.
// Default: "mean".
static inline bert_status bert_zero_shot_set_window_scores(bert_task* task, const char* word) {
  return bert_task_set_word(task, BERT_OPTION_WINDOW_SCORES, word);
}

// What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows reads all
// of it in windows, error refuses it. One of cut, windows, error. Default: "cut".
static inline bert_status bert_zero_shot_set_long_text(bert_task* task, const char* word) {
  return bert_task_set_word(task, BERT_OPTION_LONG_TEXT, word);
}

// The number of tokens that a window of a long text shares with the next window.
static inline bert_status bert_zero_shot_set_stride(bert_task* task, size_t size) {
  return bert_task_set_size(task, BERT_OPTION_STRIDE, size);
}

// ---- tag: the entities of a text, or a label for each of its words

// The kinds of entities to find, for a model that reads labels (GLiNER).
static inline bert_status bert_tag_set_labels(bert_task* task, const bert_text* texts, size_t count) {
  return bert_task_set_texts(task, BERT_OPTION_LABELS, texts, count);
}

// With labels, the name of each label in the results, so that a label can be a description. Needs labels.
static inline bert_status bert_tag_set_names(bert_task* task, const bert_text* texts, size_t count) {
  return bert_task_set_texts(task, BERT_OPTION_NAMES, texts, count);
}

// With labels, the score that an entity must exceed. From 0 to 1. Default: 0.5. Needs labels.
static inline bert_status bert_tag_set_threshold(bert_task* task, double number) {
  return bert_task_set_double(task, BERT_OPTION_THRESHOLD, number);
}

// With labels, an entity may lie inside another one. Needs labels.
static inline bert_status bert_tag_set_nested(bert_task* task, int flag) {
  return bert_task_set_bool(task, BERT_OPTION_NESTED, flag);
}

// With labels, an entity may have several labels. Needs labels.
static inline bert_status bert_tag_set_multi_label(bert_task* task, int flag) {
  return bert_task_set_bool(task, BERT_OPTION_MULTI_LABEL, flag);
}

// How tokens become entities: none leaves each token alone, simple joins neighbours of one label; first, average and
// max give each word one label, by its first token, the mean of its tokens or the token with the highest score; an
// input of words takes one of these three, by default first. One of none, simple, first, average, max. Default:
// "simple". Not beside labels.
static inline bert_status bert_tag_set_aggregation(bert_task* task, const char* word) {
  return bert_task_set_word(task, BERT_OPTION_AGGREGATION, word);
}

// The letters before the model's labels that join words into entities: iob has B- and I-, bioes also E- (end) and S-
// (single), bilou L- (last) and U- (unit); auto finds out by the labels. One of auto, iob, bioes, bilou. Default:
// "auto". Not beside labels.
static inline bert_status bert_tag_set_scheme(bert_task* task, const char* word) {
  return bert_task_set_word(task, BERT_OPTION_SCHEME, word);
}

// What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows reads all
// of it in windows, error refuses it. One of cut, windows, error. Default: "windows".
static inline bert_status bert_tag_set_long_text(bert_task* task, const char* word) {
  return bert_task_set_word(task, BERT_OPTION_LONG_TEXT, word);
}

// The number of tokens that a window of a long text shares with the next window.
static inline bert_status bert_tag_set_stride(bert_task* task, size_t size) {
  return bert_task_set_size(task, BERT_OPTION_STRIDE, size);
}

// ---- fill_mask: for each mask of a text the words that fit best

// The number of words for each mask. At least 1. Default: 5.
static inline bert_status bert_fill_mask_set_top_k(bert_task* task, size_t size) {
  return bert_task_set_size(task, BERT_OPTION_TOP_K, size);
}

// The words to list, whose scores remain those among all words.
static inline bert_status bert_fill_mask_set_targets(bert_task* task, const bert_text* texts, size_t count) {
  return bert_task_set_texts(task, BERT_OPTION_TARGETS, texts, count);
}

// What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows reads all
// of it in windows, error refuses it. One of cut, error. Default: "cut".
static inline bert_status bert_fill_mask_set_long_text(bert_task* task, const char* word) {
  return bert_task_set_word(task, BERT_OPTION_LONG_TEXT, word);
}

// ---- answer: the parts of a context that answer a question, best first: a pair of both

// The number of answers to each question. At least 1. Default: 1.
static inline bert_status bert_answer_set_top_k(bert_task* task, size_t size) {
  return bert_task_set_size(task, BERT_OPTION_TOP_K, size);
}

// The largest number of tokens in an answer. At least 1. Default: 15.
static inline bert_status bert_answer_set_max_answer_tokens(bert_task* task, size_t size) {
  return bert_task_set_size(task, BERT_OPTION_MAX_ANSWER_TOKENS, size);
}

// The answer may be "", which says that the context has none.
static inline bert_status bert_answer_set_no_answer(bert_task* task, int flag) {
  return bert_task_set_bool(task, BERT_OPTION_NO_ANSWER, flag);
}

// The number of tokens in a window, at most as many as the model reads. At least 1. Default: 384.
static inline bert_status bert_answer_set_window_tokens(bert_task* task, size_t size) {
  return bert_task_set_size(task, BERT_OPTION_WINDOW_TOKENS, size);
}

// An answer consists of whole words. Default: true.
static inline bert_status bert_answer_set_align_to_words(bert_task* task, int flag) {
  return bert_task_set_bool(task, BERT_OPTION_ALIGN_TO_WORDS, flag);
}

// What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows reads all
// of it in windows, error refuses it. One of cut, windows, error. Default: "windows".
static inline bert_status bert_answer_set_long_text(bert_task* task, const char* word) {
  return bert_task_set_word(task, BERT_OPTION_LONG_TEXT, word);
}

// The number of tokens that a window of a long text shares with the next window.
static inline bert_status bert_answer_set_stride(bert_task* task, size_t size) {
  return bert_task_set_size(task, BERT_OPTION_STRIDE, size);
}

// ---- next_sentence: whether the second of two texts follows the first

// What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows reads all
// of it in windows, error refuses it. One of cut, error. Default: "cut".
static inline bert_status bert_next_sentence_set_long_text(bert_task* task, const char* word) {
  return bert_task_set_word(task, BERT_OPTION_LONG_TEXT, word);
}

// ---- choose: how well each text continues the given one

// The text that each input may continue. Required.
static inline bert_status bert_choose_set_text(bert_task* task, const char* text) {
  return bert_task_set_word(task, BERT_OPTION_TEXT, text);
}

// What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows reads all
// of it in windows, error refuses it. One of cut, error. Default: "cut".
static inline bert_status bert_choose_set_long_text(bert_task* task, const char* word) {
  return bert_task_set_word(task, BERT_OPTION_LONG_TEXT, word);
}

// ---- rerank: how well each text fits a query

// The query that the documents are scored for. Required.
static inline bert_status bert_rerank_set_query(bert_task* task, const char* text) {
  return bert_task_set_word(task, BERT_OPTION_QUERY, text);
}

// The name of the model's prompt that is put before each text. Not beside prompt_text.
static inline bert_status bert_rerank_set_prompt(bert_task* task, const char* text) {
  return bert_task_set_word(task, BERT_OPTION_PROMPT, text);
}

// A prompt of your own that is put before each text.
static inline bert_status bert_rerank_set_prompt_text(bert_task* task, const char* text) {
  return bert_task_set_word(task, BERT_OPTION_PROMPT_TEXT, text);
}

// For a classifier with two labels, the label whose score counts: by default the one called relevant.
static inline bert_status bert_rerank_set_relevant_label(bert_task* task, const char* text) {
  return bert_task_set_word(task, BERT_OPTION_RELEVANT_LABEL, text);
}

// The largest number of results. At least 1.
static inline bert_status bert_rerank_set_top_k(bert_task* task, size_t size) {
  return bert_task_set_size(task, BERT_OPTION_TOP_K, size);
}

// What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows reads all
// of it in windows, error refuses it. One of cut, windows, error. Default: "cut".
static inline bert_status bert_rerank_set_long_text(bert_task* task, const char* word) {
  return bert_task_set_word(task, BERT_OPTION_LONG_TEXT, word);
}

// The number of tokens that a window of a long text shares with the next window.
static inline bert_status bert_rerank_set_stride(bert_task* task, size_t size) {
  return bert_task_set_size(task, BERT_OPTION_STRIDE, size);
}

// ---- redact: a text without the names in it

// The kinds of entities to find, for a model that reads labels (GLiNER).
static inline bert_status bert_redact_set_labels(bert_task* task, const bert_text* texts, size_t count) {
  return bert_task_set_texts(task, BERT_OPTION_LABELS, texts, count);
}

// LABEL=EXPRESSION: each match of the regular expression (Oniguruma's syntax) is replaced as a part with this label.
static inline bert_status bert_redact_set_expressions(bert_task* task, const bert_text* texts, size_t count) {
  return bert_task_set_texts(task, BERT_OPTION_EXPRESSIONS, texts, count);
}

// The labels of the entities to replace: by default all.
static inline bert_status bert_redact_set_only(bert_task* task, const bert_text* texts, size_t count) {
  return bert_task_set_texts(task, BERT_OPTION_ONLY, texts, count);
}

// The score that an entity must exceed: by default 0.5 for a model that reads labels, 0 for others. From 0 to 1.
static inline bert_status bert_redact_set_threshold(bert_task* task, double number) {
  return bert_task_set_double(task, BERT_OPTION_THRESHOLD, number);
}

// How tokens become entities, as in tag. One of none, simple, first, average, max. Default: "first". Not beside labels.
static inline bert_status bert_redact_set_aggregation(bert_task* task, const char* word) {
  return bert_task_set_word(task, BERT_OPTION_AGGREGATION, word);
}

// The letters before the model's labels that join words into entities: iob has B- and I-, bioes also E- (end) and S-
// (single), bilou L- (last) and U- (unit); auto finds out by the labels. One of auto, iob, bioes, bilou. Default:
// "auto". Not beside labels.
static inline bert_status bert_redact_set_scheme(bert_task* task, const char* word) {
  return bert_task_set_word(task, BERT_OPTION_SCHEME, word);
}

// What replaces a part; {label} is the label of the part, {hash} a digest of its text by the key. Default: "<{label}>".
static inline bert_status bert_redact_set_replace(bert_task* task, const char* text) {
  return bert_task_set_word(task, BERT_OPTION_REPLACE, text);
}

// A character that replaces each character of a part. Not beside replace.
static inline bert_status bert_redact_set_mask(bert_task* task, const char* text) {
  return bert_task_set_word(task, BERT_OPTION_MASK, text);
}

// The key of {hash}, at least 16 bytes; {hash} is the first 32 digits of HMAC-SHA-256.
static inline bert_status bert_redact_set_key(bert_task* task, const char* text) {
  return bert_task_set_word(task, BERT_OPTION_KEY, text);
}

// What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows reads all
// of it in windows, error refuses it. One of windows, error. Default: "windows".
static inline bert_status bert_redact_set_long_text(bert_task* task, const char* word) {
  return bert_task_set_word(task, BERT_OPTION_LONG_TEXT, word);
}

// The number of tokens that a window of a long text shares with the next window.
static inline bert_status bert_redact_set_stride(bert_task* task, size_t size) {
  return bert_task_set_size(task, BERT_OPTION_STRIDE, size);
}

#ifdef __cplusplus
}
#endif

#endif
