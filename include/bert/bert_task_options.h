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

// Of a model that reads labels (GLiClass): those that a text may have.
static inline bert_status bert_classify_set_labels(bert_task* task, const bert_text* texts, size_t count) {
  return bert_task_set_texts(task, BERT_OPTION_LABELS, texts, count);
}

// With labels: what results have in place of each label, which then may be a description. Needs labels.
static inline bert_status bert_classify_set_names(bert_task* task, const bert_text* texts, size_t count) {
  return bert_task_set_texts(task, BERT_OPTION_NAMES, texts, count);
}

// With labels: each score stands alone, from 0 to 1. Needs labels.
static inline bert_status bert_classify_set_multi_label(bert_task* task, int flag) {
  return bert_task_set_bool(task, BERT_OPTION_MULTI_LABEL, flag);
}

// The largest number of labels for each text. At least 1.
static inline bert_status bert_classify_set_top_k(bert_task* task, size_t size) {
  return bert_task_set_size(task, BERT_OPTION_TOP_K, size);
}

// Of windows: a label's score is the mean of its windows', or the largest. One of mean, largest. Default: "mean".
static inline bert_status bert_classify_set_window_scores(bert_task* task, const char* word) {
  return bert_task_set_word(task, BERT_OPTION_WINDOW_SCORES, word);
}

// How a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in windows;
// or not at all, which is an error. One of cut, windows, error. Default: "cut".
static inline bert_status bert_classify_set_long_text(bert_task* task, const char* word) {
  return bert_task_set_word(task, BERT_OPTION_LONG_TEXT, word);
}

// The number of tokens that a window of a long text shares with the next one.
static inline bert_status bert_classify_set_stride(bert_task* task, size_t size) {
  return bert_task_set_size(task, BERT_OPTION_STRIDE, size);
}

// ---- zero_shot: the candidate labels of a text, best first, by a classifier of natural language inference

// Candidate labels. Required.
static inline bert_status bert_zero_shot_set_labels(bert_task* task, const bert_text* texts, size_t count) {
  return bert_task_set_texts(task, BERT_OPTION_LABELS, texts, count);
}

// The hypothesis for a label, with {} in its place. Default: "This example is {}.".
static inline bert_status bert_zero_shot_set_hypothesis_template(bert_task* task, const char* text) {
  return bert_task_set_word(task, BERT_OPTION_HYPOTHESIS_TEMPLATE, text);
}

// Several labels may apply: each score stands alone.
static inline bert_status bert_zero_shot_set_multi_label(bert_task* task, int flag) {
  return bert_task_set_bool(task, BERT_OPTION_MULTI_LABEL, flag);
}

// The largest number of labels for each text. At least 1.
static inline bert_status bert_zero_shot_set_top_k(bert_task* task, size_t size) {
  return bert_task_set_size(task, BERT_OPTION_TOP_K, size);
}

// Of windows: a label's score is the mean of its windows', or the largest. One of mean, largest. Default: "mean".
static inline bert_status bert_zero_shot_set_window_scores(bert_task* task, const char* word) {
  return bert_task_set_word(task, BERT_OPTION_WINDOW_SCORES, word);
}

// How a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in windows;
// or not at all, which is an error. One of cut, windows, error. Default: "cut".
static inline bert_status bert_zero_shot_set_long_text(bert_task* task, const char* word) {
  return bert_task_set_word(task, BERT_OPTION_LONG_TEXT, word);
}

// The number of tokens that a window of a long text shares with the next one.
static inline bert_status bert_zero_shot_set_stride(bert_task* task, size_t size) {
  return bert_task_set_size(task, BERT_OPTION_STRIDE, size);
}

// ---- tag: the entities of a text, or a label for each of its words

// Of a model that reads labels (GLiNER): what is looked for.
static inline bert_status bert_tag_set_labels(bert_task* task, const bert_text* texts, size_t count) {
  return bert_task_set_texts(task, BERT_OPTION_LABELS, texts, count);
}

// With labels: what results have in place of each label, which then may be a description. Needs labels.
static inline bert_status bert_tag_set_names(bert_task* task, const bert_text* texts, size_t count) {
  return bert_task_set_texts(task, BERT_OPTION_NAMES, texts, count);
}

// With labels: entities have scores above it. From 0 to 1. Default: 0.5. Needs labels.
static inline bert_status bert_tag_set_threshold(bert_task* task, double number) {
  return bert_task_set_double(task, BERT_OPTION_THRESHOLD, number);
}

// With labels: an entity may lie in another one. Needs labels.
static inline bert_status bert_tag_set_nested(bert_task* task, int flag) {
  return bert_task_set_bool(task, BERT_OPTION_NESTED, flag);
}

// With labels: an entity may have several of them. Needs labels.
static inline bert_status bert_tag_set_multi_label(bert_task* task, int flag) {
  return bert_task_set_bool(task, BERT_OPTION_MULTI_LABEL, flag);
}

// How tokens become entities: each alone, neighbours of one kind together, or by words, with the label of the first
// token, of the mean or of the highest-scoring token; of words the last three, by default first. One of none, simple,
// first, average, max. Default: "simple". Not beside labels.
static inline bert_status bert_tag_set_aggregation(bert_task* task, const char* word) {
  return bert_task_set_word(task, BERT_OPTION_AGGREGATION, word);
}

// What the letter before a label means where labels become entities: auto is the scheme of the model's labels; B- and
// I- alone; also E- (end) and S- (single); or L- (last) and U- (unit). One of auto, iob, bioes, bilou. Default: "auto".
// Not beside labels.
static inline bert_status bert_tag_set_scheme(bert_task* task, const char* word) {
  return bert_task_set_word(task, BERT_OPTION_SCHEME, word);
}

// How a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in windows;
// or not at all, which is an error. One of cut, windows, error. Default: "windows".
static inline bert_status bert_tag_set_long_text(bert_task* task, const char* word) {
  return bert_task_set_word(task, BERT_OPTION_LONG_TEXT, word);
}

// The number of tokens that a window of a long text shares with the next one.
static inline bert_status bert_tag_set_stride(bert_task* task, size_t size) {
  return bert_task_set_size(task, BERT_OPTION_STRIDE, size);
}

// ---- fill_mask: for each mask of a text the words that fit best

// Words for each mask. At least 1. Default: 5.
static inline bert_status bert_fill_mask_set_top_k(bert_task* task, size_t size) {
  return bert_task_set_size(task, BERT_OPTION_TOP_K, size);
}

// Only these words are listed; scores stay those among all words.
static inline bert_status bert_fill_mask_set_targets(bert_task* task, const bert_text* texts, size_t count) {
  return bert_task_set_texts(task, BERT_OPTION_TARGETS, texts, count);
}

// How a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in windows;
// or not at all, which is an error. One of cut, error. Default: "cut".
static inline bert_status bert_fill_mask_set_long_text(bert_task* task, const char* word) {
  return bert_task_set_word(task, BERT_OPTION_LONG_TEXT, word);
}

// ---- answer: the parts of a context that answer a question, best first: a pair of both

// Answers of each question. At least 1. Default: 1.
static inline bert_status bert_answer_set_top_k(bert_task* task, size_t size) {
  return bert_task_set_size(task, BERT_OPTION_TOP_K, size);
}

// The longest answer. At least 1. Default: 15.
static inline bert_status bert_answer_set_max_answer_tokens(bert_task* task, size_t size) {
  return bert_task_set_size(task, BERT_OPTION_MAX_ANSWER_TOKENS, size);
}

// "" may be the best answer.
static inline bert_status bert_answer_set_no_answer(bert_task* task, int flag) {
  return bert_task_set_bool(task, BERT_OPTION_NO_ANSWER, flag);
}

// Tokens of a window, or as many as the model has. At least 1. Default: 384.
static inline bert_status bert_answer_set_window_tokens(bert_task* task, size_t size) {
  return bert_task_set_size(task, BERT_OPTION_WINDOW_TOKENS, size);
}

// An answer has whole words. Default: true.
static inline bert_status bert_answer_set_align_to_words(bert_task* task, int flag) {
  return bert_task_set_bool(task, BERT_OPTION_ALIGN_TO_WORDS, flag);
}

// How a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in windows;
// or not at all, which is an error. One of cut, windows, error. Default: "windows".
static inline bert_status bert_answer_set_long_text(bert_task* task, const char* word) {
  return bert_task_set_word(task, BERT_OPTION_LONG_TEXT, word);
}

// The number of tokens that a window of a long text shares with the next one.
static inline bert_status bert_answer_set_stride(bert_task* task, size_t size) {
  return bert_task_set_size(task, BERT_OPTION_STRIDE, size);
}

// ---- next_sentence: whether the second of two texts follows the first

// How a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in windows;
// or not at all, which is an error. One of cut, error. Default: "cut".
static inline bert_status bert_next_sentence_set_long_text(bert_task* task, const char* word) {
  return bert_task_set_word(task, BERT_OPTION_LONG_TEXT, word);
}

// ---- choose: how well each text goes on after the first

// What each input goes on with. Required.
static inline bert_status bert_choose_set_text(bert_task* task, const char* text) {
  return bert_task_set_word(task, BERT_OPTION_TEXT, text);
}

// How a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in windows;
// or not at all, which is an error. One of cut, error. Default: "cut".
static inline bert_status bert_choose_set_long_text(bert_task* task, const char* word) {
  return bert_task_set_word(task, BERT_OPTION_LONG_TEXT, word);
}

// ---- rerank: how well each text fits a query

// What the documents are scored for. Required.
static inline bert_status bert_rerank_set_query(bert_task* task, const char* text) {
  return bert_task_set_word(task, BERT_OPTION_QUERY, text);
}

// The name of one of the model's prompts, which goes before a text. Not beside prompt_text.
static inline bert_status bert_rerank_set_prompt(bert_task* task, const char* text) {
  return bert_task_set_word(task, BERT_OPTION_PROMPT, text);
}

// A prompt of your own in its place.
static inline bert_status bert_rerank_set_prompt_text(bert_task* task, const char* text) {
  return bert_task_set_word(task, BERT_OPTION_PROMPT_TEXT, text);
}

// Of a classifier of two labels, the one that is the score: by default the one called relevant.
static inline bert_status bert_rerank_set_relevant_label(bert_task* task, const char* text) {
  return bert_task_set_word(task, BERT_OPTION_RELEVANT_LABEL, text);
}

// The largest number of results. At least 1.
static inline bert_status bert_rerank_set_top_k(bert_task* task, size_t size) {
  return bert_task_set_size(task, BERT_OPTION_TOP_K, size);
}

// How a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in windows;
// or not at all, which is an error. One of cut, windows, error. Default: "cut".
static inline bert_status bert_rerank_set_long_text(bert_task* task, const char* word) {
  return bert_task_set_word(task, BERT_OPTION_LONG_TEXT, word);
}

// The number of tokens that a window of a long text shares with the next one.
static inline bert_status bert_rerank_set_stride(bert_task* task, size_t size) {
  return bert_task_set_size(task, BERT_OPTION_STRIDE, size);
}

// ---- redact: a text without the names in it

// Of a model that reads labels (GLiNER): what is looked for.
static inline bert_status bert_redact_set_labels(bert_task* task, const bert_text* texts, size_t count) {
  return bert_task_set_texts(task, BERT_OPTION_LABELS, texts, count);
}

// LABEL=EXPRESSION: matches of a regular expression in Oniguruma's syntax are parts with this label.
static inline bert_status bert_redact_set_expressions(bert_task* task, const bert_text* texts, size_t count) {
  return bert_task_set_texts(task, BERT_OPTION_EXPRESSIONS, texts, count);
}

// Of a model's entities only those with these labels.
static inline bert_status bert_redact_set_only(bert_task* task, const bert_text* texts, size_t count) {
  return bert_task_set_texts(task, BERT_OPTION_ONLY, texts, count);
}

// Entities have scores above it: by default 0.5 of a model that reads labels, 0 of others. From 0 to 1.
static inline bert_status bert_redact_set_threshold(bert_task* task, double number) {
  return bert_task_set_double(task, BERT_OPTION_THRESHOLD, number);
}

// How tokens become entities, as in tag. One of none, simple, first, average, max. Default: "first". Not beside labels.
static inline bert_status bert_redact_set_aggregation(bert_task* task, const char* word) {
  return bert_task_set_word(task, BERT_OPTION_AGGREGATION, word);
}

// What the letter before a label means where labels become entities: auto is the scheme of the model's labels; B- and
// I- alone; also E- (end) and S- (single); or L- (last) and U- (unit). One of auto, iob, bioes, bilou. Default: "auto".
// Not beside labels.
static inline bert_status bert_redact_set_scheme(bert_task* task, const char* word) {
  return bert_task_set_word(task, BERT_OPTION_SCHEME, word);
}

// What takes the place of a part; {label} is its label, {hash} a digest of it by the key. Default: "<{label}>".
static inline bert_status bert_redact_set_replace(bert_task* task, const char* text) {
  return bert_task_set_word(task, BERT_OPTION_REPLACE, text);
}

// Instead this character for each character of a part. Not beside replace.
static inline bert_status bert_redact_set_mask(bert_task* task, const char* text) {
  return bert_task_set_word(task, BERT_OPTION_MASK, text);
}

// The key of {hash}, the first 32 digits of HMAC-SHA-256: at least 16 bytes.
static inline bert_status bert_redact_set_key(bert_task* task, const char* text) {
  return bert_task_set_word(task, BERT_OPTION_KEY, text);
}

// How a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in windows;
// or not at all, which is an error. One of windows, error. Default: "windows".
static inline bert_status bert_redact_set_long_text(bert_task* task, const char* word) {
  return bert_task_set_word(task, BERT_OPTION_LONG_TEXT, word);
}

// The number of tokens that a window of a long text shares with the next one.
static inline bert_status bert_redact_set_stride(bert_task* task, size_t size) {
  return bert_task_set_size(task, BERT_OPTION_STRIDE, size);
}

#ifdef __cplusplus
}
#endif

#endif
