/* Tests the C interface in a C99 program, with the built-in model. Calls every function, also with wrong arguments.
 * Prints the number of checks. Exits with 0 if all checks succeed. */
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bert/bert.h"
#include "bert/bert_explain.h"
#include "bert/bert_files.h"
#include "bert/bert_task_options.h"
#include "bert/bert_tasks.h"
#include "bert/bert_vectors.h"

static int checks = 0;
static int failures = 0;

#define CHECK(condition)                                             \
  do {                                                               \
    ++checks;                                                        \
    if (!(condition)) {                                              \
      ++failures;                                                    \
      printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition); \
      printf("  the last message: %s\n", bert_error_message());      \
    }                                                                \
  } while (0)

#define CHECK_REFUSED(status, call, words)                \
  do {                                                    \
    CHECK((call) == (status));                            \
    CHECK(strstr(bert_error_message(), (words)) != NULL); \
    CHECK(strchr(bert_error_message(), '\n') == NULL);    \
  } while (0)

static const char kText[] = "The quick brown fox jumps over the lazy dog";
static const float kCanary = -12345.0f;
enum { kMaxTokens = 64 };

static float* floats(size_t size) {
  float* memory = malloc((size + 1) * sizeof *memory);
  size_t i;
  if (memory == NULL) exit(1);
  for (i = 0; i <= size; ++i) memory[i] = kCanary;
  return memory;
}

static bert_model* load(size_t threads) {
  bert_load_options options = BERT_LOAD_OPTIONS_INIT;
  bert_model* model = NULL;
  options.threads = threads;
  CHECK(bert_model_load(NULL, &options, &model) == BERT_OK);
  if (model == NULL) exit(1);
  return model;
}

static size_t tokenize(const bert_model* model, const char* text, int32_t* ids, int32_t* type_ids) {
  bert_tokens tokens = BERT_TOKENS_INIT;
  tokens.capacity = kMaxTokens;
  tokens.ids = ids;
  tokens.type_ids = type_ids;
  CHECK(bert_tokenize(bert_model_tokenizer(model), text, BERT_TO_NUL, NULL, 0, NULL, &tokens) == BERT_OK);
  return tokens.size;
}

static void test_names(void) {
  int major = 0, minor = 0, patch = 0;
  CHECK(strcmp(bert_error_message(), "") == 0);
  CHECK(sscanf(bert_version(), "%d.%d.%d", &major, &minor, &patch) == 3);
  CHECK(BERT_VERSION == 10000 * major + 100 * minor + patch);
  CHECK(strcmp(bert_status_name(BERT_OK), "BERT_OK") == 0);
  CHECK(strcmp(bert_status_name(BERT_INTERNAL), "BERT_INTERNAL") == 0);
  CHECK(strcmp(bert_status_name((bert_status)99), "") == 0);
}

// Checks that a structure's _INIT value is all zeros but for its size. A language without macros makes it so.
#define IS_ZEROED(type, init)                       \
  do {                                              \
    static const type given = init;                 \
    type made;                                      \
    memset(&made, 0, sizeof made);                  \
    made.struct_bytes = sizeof made;                \
    CHECK(memcmp(&given, &made, sizeof made) == 0); \
  } while (0)

static void test_zeroed_options(void) {
  IS_ZEROED(bert_runtime_options, BERT_RUNTIME_OPTIONS_INIT);
  IS_ZEROED(bert_load_options, BERT_LOAD_OPTIONS_INIT);
  IS_ZEROED(bert_tokenize_options, BERT_TOKENIZE_OPTIONS_INIT);
  IS_ZEROED(bert_tokens, BERT_TOKENS_INIT);
  IS_ZEROED(bert_embed_options, BERT_EMBED_OPTIONS_INIT);
  IS_ZEROED(bert_sparse_options, BERT_SPARSE_OPTIONS_INIT);
  IS_ZEROED(bert_run_options, BERT_RUN_OPTIONS_INIT);
  IS_ZEROED(bert_chunk_options, BERT_CHUNK_OPTIONS_INIT);
  IS_ZEROED(bert_index_options, BERT_INDEX_OPTIONS_INIT);
  IS_ZEROED(bert_explain_options, BERT_EXPLAIN_OPTIONS_INIT);
}

static void test_error_copy(void) {
  bert_model* model = NULL;
  char message[256] = "before", start[9] = "before";
  CHECK(bert_error_copy(bert_model_load("/no/such/model", NULL, &model), message, sizeof message) == BERT_NOT_FOUND);
  CHECK(strcmp(message, bert_error_message()) == 0);
  CHECK(bert_error_copy(BERT_NOT_FOUND, start, sizeof start) == BERT_NOT_FOUND);
  CHECK(strlen(start) == 8 && strncmp(start, message, 8) == 0);
  CHECK(bert_error_copy(BERT_IO, NULL, 9) == BERT_IO);
  CHECK(bert_error_copy(BERT_IO, start, 0) == BERT_IO);
  CHECK(bert_error_copy(BERT_OK, start, sizeof start) == BERT_OK);
  CHECK(strcmp(start, "") == 0);
  CHECK(bert_model_load("/no/such/\xc3\xa9", NULL, &model) != BERT_OK);
  const char* accent = strstr(bert_error_message(), "\xc3\xa9");
  CHECK(accent != NULL);
  CHECK(bert_error_copy(BERT_IO, message, (size_t)(accent - bert_error_message()) + 2) == BERT_IO);
  CHECK(strlen(message) == (size_t)(accent - bert_error_message()));  // a character is not cut in two
}

static void test_load(void) {
  bert_model* model = NULL;
  bert_load_options options = BERT_LOAD_OPTIONS_INIT;
  struct {
    bert_load_options known;
    size_t later;
  } newer = {BERT_LOAD_OPTIONS_INIT, 0};

  CHECK_REFUSED(BERT_INVALID_ARGUMENT, bert_model_load(NULL, NULL, NULL), "model is null");
  CHECK_REFUSED(BERT_NOT_FOUND, bert_model_load("no/such/directory", NULL, &model), "no/such/directory");
  CHECK(model == NULL);
  options.gemm = (bert_gemm)17;
  CHECK_REFUSED(BERT_INVALID_ARGUMENT, bert_model_load(NULL, &options, &model), "gemm is 17, expected 0 to 3");
  options.gemm = BERT_GEMM_AUTO;
  options.struct_bytes = 0;
  CHECK_REFUSED(BERT_INVALID_ARGUMENT, bert_model_load(NULL, &options, &model), "struct_bytes is 0");

  /* An older program's structure lacks the last fields. A newer one's has more fields, which must be 0. */
  options.struct_bytes = offsetof(bert_load_options, gemm);
  options.gemm = (bert_gemm)17;
  CHECK(bert_model_load(NULL, &options, &model) == BERT_OK);
  bert_model_free(model);
  options.struct_bytes = sizeof options;
  options.gemm = BERT_GEMM_NATIVE;
  options.packed_bytes = SIZE_MAX;
  CHECK(bert_model_load(NULL, &options, &model) == BERT_OK);
  CHECK(bert_model_packed_bytes(model) > 1000000);
  bert_model_free(model);
  newer.known.struct_bytes = sizeof newer;
  CHECK(bert_model_load(NULL, &newer.known, &model) == BERT_OK);
  bert_model_free(model);
  newer.later = 1;
  CHECK_REFUSED(BERT_INVALID_ARGUMENT, bert_model_load(NULL, &newer.known, &model), "later version");
  CHECK(model == NULL);
  bert_model_free(NULL);
  bert_tokenizer_free(NULL);
}

static void test_facts(const bert_model* model) {
  size_t i = 0;
  CHECK(bert_model_hidden_size(model) > 0 && bert_model_layers(model) > 0 && bert_model_heads(model) > 0);
  CHECK(bert_model_hidden_size(model) % bert_model_heads(model) == 0);
  CHECK(bert_model_max_length(model) > 8 && bert_model_max_length(model) <= bert_model_max_positions(model));
  CHECK(bert_model_has_pooler(model) == 1);
  while (bert_model_notice(model, i) != NULL) ++i;
  CHECK(i < 100);
  CHECK(bert_model_hidden_size(NULL) == 0 && bert_model_layers(NULL) == 0 && bert_model_heads(NULL) == 0);
  CHECK(bert_model_max_length(NULL) == 0 && bert_model_max_positions(NULL) == 0 && bert_model_has_pooler(NULL) == 0);
  CHECK(bert_model_packed_bytes(model) == 0 && bert_model_packed_bytes(NULL) == 0);
  CHECK(bert_model_notice(NULL, 0) == NULL && bert_model_tokenizer(NULL) == NULL);
}

static void test_tokenize(const bert_model* model) {
  const bert_tokenizer* tokenizer = bert_model_tokenizer(model);
  int32_t ids[kMaxTokens], types[kMaxTokens], words[kMaxTokens], sequences[kMaxTokens], cls = -1, sep = -1, the = -1;
  uint8_t special[kMaxTokens];
  size_t begins[kMaxTokens], ends[kMaxTokens], i;
  bert_tokens tokens = BERT_TOKENS_INIT;
  bert_tokenize_options options = BERT_TOKENIZE_OPTIONS_INIT;

  CHECK(bert_token_id(tokenizer, "[CLS]", BERT_TO_NUL, &cls) == BERT_OK);
  CHECK(bert_token_id(tokenizer, "[SEP]xyz", 5, &sep) == BERT_OK);
  CHECK(bert_token_id(tokenizer, "the", 3, &the) == BERT_OK);
  CHECK_REFUSED(BERT_NOT_FOUND, bert_token_id(tokenizer, "no such token", BERT_TO_NUL, &cls), "'no such token'");

  /* The first call asks for the number of tokens; the second one fills memory of that size. */
  CHECK_REFUSED(BERT_BUFFER_TOO_SMALL, bert_tokenize(tokenizer, "The the", 7, "the", 3, NULL, &tokens),
                "room for 0 tokens, expected 6");
  CHECK(tokens.size == 6);
  tokens.capacity = 6;
  tokens.ids = ids;
  tokens.type_ids = types;
  tokens.special_tokens_mask = special;
  tokens.offset_begins = begins;
  tokens.offset_ends = ends;
  tokens.word_ids = words;
  tokens.sequence_ids = sequences;
  ids[6] = 4711;
  CHECK(bert_tokenize(tokenizer, "The the", 7, "the", 3, NULL, &tokens) == BERT_OK);
  CHECK(tokens.size == 6 && tokens.truncated_tokens == 0);
  {
    const int32_t expected_ids[6] = {cls, the, the, sep, the, sep};
    static const int32_t expected_types[6] = {0, 0, 0, 0, 1, 1}, expected_words[6] = {-1, 0, 1, -1, 0, -1};
    static const int32_t expected_sequences[6] = {-1, 0, 0, -1, 1, -1};
    static const size_t expected_begins[6] = {0, 0, 4, 0, 0, 0}, expected_ends[6] = {0, 3, 7, 0, 3, 0};
    for (i = 0; i < 6; ++i) {
      CHECK(ids[i] == expected_ids[i] && types[i] == expected_types[i] && words[i] == expected_words[i]);
      CHECK(sequences[i] == expected_sequences[i] && special[i] == (expected_words[i] < 0));
      CHECK(begins[i] == expected_begins[i] && ends[i] == expected_ends[i]);
    }
  }
  CHECK(ids[6] == 4711);

  /* The letter before the space has two bytes and is one code point. */
  tokens.code_point_begins = begins;
  tokens.code_point_ends = ends;
  tokens.offset_begins = tokens.offset_ends = NULL;
  CHECK(bert_tokenize(tokenizer, "\xc3\xa9 the", BERT_TO_NUL, "the", 3, NULL, &tokens) == BERT_OK);
  CHECK(tokens.size == 6 && ids[2] == the && begins[1] == 0 && ends[1] == 1 && begins[2] == 2 && ends[2] == 5);
  CHECK(ids[4] == the && begins[4] == 0 && ends[4] == 3 && begins[5] == 0 && ends[5] == 0);
  tokens.code_point_begins = tokens.code_point_ends = NULL;
  tokens.offset_begins = begins;
  tokens.offset_ends = ends;

  /* U+1F600 has four bytes, and two units in UTF-16. */
  options.offset_unit = BERT_UTF16;
  CHECK(bert_tokenize(tokenizer, "\xf0\x9f\x98\x80 the", BERT_TO_NUL, "\xc3\xa9 the", BERT_TO_NUL, &options, &tokens) ==
        BERT_BUFFER_TOO_SMALL);
  CHECK(tokens.size == 7);
  tokens.capacity = kMaxTokens;
  CHECK(bert_tokenize(tokenizer, "\xf0\x9f\x98\x80 the", BERT_TO_NUL, "\xc3\xa9 the", BERT_TO_NUL, &options, &tokens) ==
        BERT_OK);
  CHECK(ids[2] == the && begins[2] == 3 && ends[2] == 6 && ids[5] == the && begins[5] == 2 && ends[5] == 5);
  options.offset_unit = 3;
  CHECK_REFUSED(BERT_INVALID_ARGUMENT, bert_tokenize(tokenizer, "a", 1, NULL, 0, &options, &tokens),
                "offset_unit is 3");
  options.offset_unit = BERT_BYTES;

  options.max_length = 4;
  tokens.capacity = 4;
  CHECK(bert_tokenize(tokenizer, "the the the the the", BERT_TO_NUL, NULL, 0, &options, &tokens) == BERT_OK);
  CHECK(tokens.size == 4 && tokens.truncated_tokens == 3 && ids[3] == sep);
  options.without_special_tokens = 1;
  CHECK(bert_tokenize(tokenizer, "the", 3, NULL, 0, &options, &tokens) == BERT_OK);
  CHECK(tokens.size == 1 && ids[0] == the);
  options.truncation = BERT_NO_TRUNCATION;
  CHECK_REFUSED(BERT_INVALID_TEXT, bert_tokenize(tokenizer, kText, BERT_TO_NUL, NULL, 0, &options, &tokens),
                "truncation is off");
  options.truncation = (bert_truncation)4;
  CHECK_REFUSED(BERT_INVALID_ARGUMENT, bert_tokenize(tokenizer, kText, 3, NULL, 0, &options, &tokens),
                "truncation is 4");
  CHECK_REFUSED(BERT_INVALID_TEXT, bert_tokenize(tokenizer, "a\xff", 2, NULL, 0, NULL, &tokens), "UTF-8");
  CHECK_REFUSED(BERT_INVALID_ARGUMENT, bert_tokenize(tokenizer, NULL, 3, NULL, 0, NULL, &tokens), "text is null");
  CHECK_REFUSED(BERT_INVALID_ARGUMENT, bert_tokenize(NULL, "a", 1, NULL, 0, NULL, &tokens), "tokenizer is null");
  CHECK_REFUSED(BERT_INVALID_ARGUMENT, bert_tokenize(tokenizer, "a", 1, NULL, 0, NULL, NULL), "tokens is null");
  CHECK(bert_tokenize(tokenizer, NULL, 0, NULL, 0, NULL, &tokens) == BERT_OK && tokens.size == 2);
}

static void test_text_of_tokens(const bert_model* model) {
  const bert_tokenizer* tokenizer = bert_model_tokenizer(model);
  int32_t ids[3], cls = -1, the = -1;
  char text[100];
  size_t bytes = 0;

  CHECK(bert_token_id(tokenizer, "[CLS]", BERT_TO_NUL, &cls) == BERT_OK);
  CHECK(bert_token_id(tokenizer, "the", BERT_TO_NUL, &the) == BERT_OK);
  CHECK(bert_token_text(tokenizer, the, text, sizeof text, &bytes) == BERT_OK);
  CHECK(bytes == 3 && strcmp(text, "the") == 0);
  CHECK_REFUSED(BERT_BUFFER_TOO_SMALL, bert_token_text(tokenizer, the, text, 3, &bytes), "expected 4");
  CHECK_REFUSED(BERT_BUFFER_TOO_SMALL, bert_token_text(tokenizer, the, NULL, 100, NULL), "expected 4");
  CHECK_REFUSED(BERT_NOT_FOUND, bert_token_text(tokenizer, -1, text, sizeof text, NULL), "-1");
  ids[0] = cls, ids[1] = the, ids[2] = the;
  CHECK(bert_decode(tokenizer, ids, 3, 1, text, sizeof text, &bytes) == BERT_OK);
  CHECK(bytes == 7 && strcmp(text, "the the") == 0);
  CHECK(bert_decode(tokenizer, NULL, 0, 1, text, sizeof text, NULL) == BERT_OK && text[0] == '\0');
}

static void test_tokenizer_alone(const bert_model* model) {
  bert_tokenizer* tokenizer = NULL;
  int32_t ids[kMaxTokens], others[kMaxTokens];
  bert_tokens tokens = BERT_TOKENS_INIT;
  size_t size = tokenize(model, kText, ids, NULL), i;
  CHECK(bert_tokenizer_load(NULL, NULL, &tokenizer) == BERT_OK);
  tokens.capacity = kMaxTokens;
  tokens.ids = others;
  CHECK(bert_tokenize(tokenizer, kText, BERT_TO_NUL, NULL, 0, NULL, &tokens) == BERT_OK);
  CHECK(tokens.size == size);
  for (i = 0; i < size; ++i) CHECK(ids[i] == others[i]);
  bert_tokenizer_free(tokenizer);
  CHECK_REFUSED(BERT_NOT_FOUND, bert_tokenizer_load("no/such/directory", NULL, &tokenizer), "no/such/directory");
  CHECK(tokenizer == NULL);
}

static void test_encode(const bert_model* model) {
  int32_t ids[kMaxTokens], types[kMaxTokens];
  uint8_t mask[kMaxTokens];
  const size_t hidden = bert_model_hidden_size(model), layers = bert_model_layers(model);
  const size_t heads = bert_model_heads(model), size = tokenize(model, kText, ids, types);
  bert_sequence sequences[2] = {{NULL, NULL, NULL, 0}, {NULL, NULL, NULL, 0}};
  bert_encode_sizes sizes = BERT_ENCODE_SIZES_INIT, masked = BERT_ENCODE_SIZES_INIT;
  bert_encode_buffers buffers[2], one;
  float *last, *pooled, *states, *attentions, *last_of_both, *last_masked;
  double sum = 0;
  size_t i;

  sequences[0].ids = ids;
  sequences[0].type_ids = types;
  sequences[0].size = size;
  CHECK(bert_encode_get_sizes(model, &sequences[0], &sizes) == BERT_OK);
  CHECK(sizes.rows == size && sizes.last_hidden_state == size * hidden && sizes.pooler_output == hidden);
  CHECK(sizes.hidden_states == (layers + 1) * size * hidden && sizes.attentions == layers * heads * size * size);
  last = floats(sizes.last_hidden_state);
  pooled = floats(sizes.pooler_output);
  states = floats(sizes.hidden_states);
  attentions = floats(sizes.attentions);
  memset(&one, 0, sizeof one);
  one.last_hidden_state.data = last;
  one.last_hidden_state.capacity = sizes.last_hidden_state;
  one.pooler_output.data = pooled;
  one.pooler_output.capacity = sizes.pooler_output;
  one.hidden_states.data = states;
  one.hidden_states.capacity = sizes.hidden_states;
  one.attentions.data = attentions;
  one.attentions.capacity = sizes.attentions;
  CHECK(bert_encode(model, sequences, 1, &one) == BERT_OK);
  CHECK(last[sizes.last_hidden_state] == kCanary && pooled[sizes.pooler_output] == kCanary);
  CHECK(states[sizes.hidden_states] == kCanary && attentions[sizes.attentions] == kCanary);
  CHECK(memcmp(last, states + layers * size * hidden, size * hidden * sizeof *last) == 0);
  for (i = 0; i < size; ++i) sum += attentions[i];
  CHECK(fabs(sum - 1) < 1e-5);
  for (i = 0; i < hidden; ++i) CHECK(pooled[i] >= -1 && pooled[i] <= 1);

  /* A sequence has the same bits in a batch with one whose last token is masked. A masked token has no row. */
  memset(mask, 1, sizeof mask);
  mask[size - 1] = 0;
  sequences[1] = sequences[0];
  sequences[1].attention_mask = mask;
  CHECK(bert_encode_get_sizes(model, &sequences[1], &masked) == BERT_OK && masked.rows == size - 1);
  last_of_both = floats(sizes.last_hidden_state);
  last_masked = floats(masked.last_hidden_state);
  memset(buffers, 0, sizeof buffers);
  buffers[0].last_hidden_state.data = last_of_both;
  buffers[0].last_hidden_state.capacity = sizes.last_hidden_state;
  buffers[1].last_hidden_state.data = last_masked;
  buffers[1].last_hidden_state.capacity = masked.last_hidden_state;
  CHECK(bert_encode(model, sequences, 2, buffers) == BERT_OK);
  CHECK(memcmp(last, last_of_both, sizes.last_hidden_state * sizeof *last) == 0);
  CHECK(last_masked[masked.last_hidden_state] == kCanary && last_masked[0] != kCanary && last_masked[0] != last[0]);

  --buffers[1].last_hidden_state.capacity;
  last_of_both[0] = kCanary;
  CHECK_REFUSED(BERT_BUFFER_TOO_SMALL, bert_encode(model, sequences, 2, buffers), "last_hidden_state of sequence 1");
  CHECK(last_of_both[0] == kCanary);
  ids[1] = 1 << 30;
  CHECK_REFUSED(BERT_INVALID_ARGUMENT, bert_encode(model, sequences, 1, &one), "token 1 has id 1073741824");
  sequences[0].size = 0;
  CHECK_REFUSED(BERT_INVALID_ARGUMENT, bert_encode(model, sequences, 1, &one), "no ids");
  CHECK_REFUSED(BERT_INVALID_ARGUMENT, bert_encode(model, sequences, 0, &one), "no sequences");
  CHECK_REFUSED(BERT_INVALID_ARGUMENT, bert_encode(model, NULL, 1, &one), "sequences is null");
  CHECK_REFUSED(BERT_INVALID_ARGUMENT, bert_encode(model, sequences, 1, NULL), "buffers is null");
  CHECK_REFUSED(BERT_INVALID_ARGUMENT, bert_encode(NULL, sequences, 1, &one), "model is null");
  CHECK_REFUSED(BERT_INVALID_ARGUMENT, bert_encode_get_sizes(model, NULL, &sizes), "sequence is null");
  free(last), free(pooled), free(states), free(attentions), free(last_of_both), free(last_masked);
}

static void test_embed(const bert_model* model) {
  int32_t ids[kMaxTokens];
  const size_t hidden = bert_model_hidden_size(model), size = tokenize(model, kText, ids, NULL);
  bert_sequence sequences[2] = {{NULL, NULL, NULL, 0}, {NULL, NULL, NULL, 0}};
  bert_embed_options options = BERT_EMBED_OPTIONS_INIT;
  float *of_text = floats(hidden), *of_ids = floats(2 * hidden);
  double cosine = 0, norm = 0;
  size_t i;
  sequences[0].ids = sequences[1].ids = ids;
  sequences[0].size = size;
  sequences[1].size = size - 1;
  CHECK(bert_embed_text(model, kText, BERT_TO_NUL, NULL, of_text, hidden) == BERT_OK);
  CHECK(of_text[hidden] == kCanary);
  CHECK(bert_embed(model, sequences, 2, NULL, of_ids, 2 * hidden) == BERT_OK);
  CHECK(of_ids[2 * hidden] == kCanary);
  CHECK(memcmp(of_text, of_ids, hidden * sizeof *of_text) == 0);
  CHECK(memcmp(of_text, of_ids + hidden, hidden * sizeof *of_text) != 0);
  CHECK(bert_cosine_similarity(of_text, of_ids, hidden, &cosine) == BERT_OK && fabs(cosine - 1) < 1e-12);

  options.pooling = BERT_POOLING_CLS;
  options.normalize = BERT_YES;
  CHECK(bert_embed_text(model, kText, BERT_TO_NUL, &options, of_ids, hidden) == BERT_OK);
  CHECK(memcmp(of_text, of_ids, hidden * sizeof *of_text) != 0);
  for (i = 0; i < hidden; ++i) norm += (double)of_ids[i] * of_ids[i];
  CHECK(fabs(norm - 1) < 1e-5);

  CHECK_REFUSED(BERT_BUFFER_TOO_SMALL, bert_embed_text(model, kText, BERT_TO_NUL, NULL, of_text, hidden - 1), "floats");
  CHECK_REFUSED(BERT_BUFFER_TOO_SMALL, bert_embed(model, sequences, 2, NULL, of_ids, 2 * hidden - 1), "floats");
  CHECK_REFUSED(BERT_INVALID_ARGUMENT, bert_embed(model, sequences, 1, NULL, NULL, hidden), "vectors is null");
  CHECK_REFUSED(BERT_INVALID_TEXT, bert_embed_text(model, "\xC0\x80", 2, NULL, of_text, hidden), "UTF-8");
  options.pooling = (bert_pooling)8;
  CHECK_REFUSED(BERT_INVALID_ARGUMENT, bert_embed_text(model, kText, 3, &options, of_text, hidden), "pooling is 8");
  CHECK_REFUSED(BERT_INVALID_ARGUMENT, bert_cosine_similarity(NULL, of_text, hidden, &cosine), "a is null");
  free(of_text), free(of_ids);
}

struct job {
  const bert_model* model;
  const float* expected;
  int number;
  int good;
};

/* One of three texts is not valid UTF-8. The others get the vectors that they have alone. */
static void test_embed_sparse(const bert_model* model) {
  const char* texts[] = {"a dog", "\xff", "a"};
  size_t row_starts[4] = {0};
  int32_t ids[20];
  float weights[20];
  bert_text_report reports[3];
  bert_sparse_options options = BERT_SPARSE_OPTIONS_INIT;
  options.max_active = 4;
  CHECK(bert_embed_sparse_texts(model, texts, NULL, 3, &options, row_starts, ids, weights, 20, reports) ==
        BERT_INVALID_TEXT);
  CHECK(row_starts[1] == 4 && row_starts[2] == 4 && row_starts[3] == 8);
  CHECK(reports[0].status == BERT_OK && reports[1].status == BERT_INVALID_TEXT);
  CHECK(ids[0] < ids[1] && weights[0] > 0);
  CHECK(bert_embed_sparse_texts(model, texts, NULL, 1, &options, row_starts, NULL, NULL, 0, NULL) ==
        BERT_BUFFER_TOO_SMALL);
  CHECK(row_starts[1] == 4);
  CHECK(bert_embed_sparse_texts(model, NULL, NULL, 0, NULL, row_starts, NULL, NULL, 0, NULL) == BERT_OK);
  CHECK(bert_embed_sparse_texts(model, texts, NULL, 1, NULL, NULL, ids, weights, 20, NULL) == BERT_INVALID_ARGUMENT);
}

static void test_logits(const bert_model* model) {
  const int32_t ids[] = {2, 5, 3};
  const bert_sequence sequence = {ids, NULL, NULL, 3};
  size_t rows = 0, outputs = 0;
  bert_floats logits;
  CHECK(bert_logits_get_sizes(model, BERT_HEAD_MASKED_LM, &sequence, &rows, &outputs) == BERT_OK);
  CHECK(rows == 3 && outputs > 3);
  logits.data = floats(rows * outputs);
  logits.capacity = rows * outputs;
  CHECK(bert_logits(model, BERT_HEAD_MASKED_LM, &sequence, 1, &logits) == BERT_OK);
  CHECK(logits.data[0] != logits.data[1]);
  CHECK(bert_logits_get_sizes(model, BERT_HEAD_MULTIPLE_CHOICE, &sequence, &rows, &outputs) == BERT_NOT_FOUND);
  CHECK(bert_model_label(model, 1000) == NULL);
  free(logits.data);
}

static void test_embed_texts(const bert_model* model) {
  const char* texts[] = {kText, "a\xff", "the 金 fox"};
  const size_t bytes[] = {BERT_TO_NUL, 2, 11};
  const size_t hidden = bert_model_hidden_size(model);
  float* vectors = floats(3 * hidden);
  float* alone = floats(hidden);
  bert_text_report reports[3];
  bert_tokens tokens = BERT_TOKENS_INIT;
  CHECK_REFUSED(BERT_INVALID_TEXT, bert_embed_texts(model, texts, bytes, 3, NULL, vectors, 3 * hidden, reports),
                "text 1: text: not valid UTF-8");
  CHECK(bert_embed_text(model, kText, BERT_TO_NUL, NULL, alone, hidden) == BERT_OK);
  CHECK(memcmp(vectors, alone, hidden * sizeof *alone) == 0);
  CHECK(isnan(vectors[hidden]));
  CHECK(bert_embed_text(model, texts[2], bytes[2], NULL, alone, hidden) == BERT_OK);
  CHECK(memcmp(vectors + 2 * hidden, alone, hidden * sizeof *alone) == 0);
  CHECK(vectors[3 * hidden] == kCanary);
  CHECK(reports[0].status == BERT_OK && reports[1].status == BERT_INVALID_TEXT && reports[2].status == BERT_OK);
  CHECK(reports[0].unknown_tokens == 0 && reports[0].truncated_tokens == 0);
  CHECK(bert_tokenize(bert_model_tokenizer(model), texts[2], bytes[2], NULL, 0, NULL, &tokens) ==
        BERT_BUFFER_TOO_SMALL);
  CHECK(reports[2].tokens == tokens.size);
  CHECK(reports[2].unknown_tokens == 1);
  CHECK(bert_embed_texts(model, texts, NULL, 1, NULL, vectors, hidden, NULL) == BERT_OK);
  CHECK(bert_embed_texts(model, NULL, NULL, 0, NULL, NULL, 0, NULL) == BERT_OK);
  CHECK_REFUSED(BERT_BUFFER_TOO_SMALL, bert_embed_texts(model, texts, bytes, 2, NULL, vectors, hidden, reports),
                "floats of vectors");
  CHECK_REFUSED(BERT_INVALID_ARGUMENT, bert_embed_texts(model, NULL, NULL, 1, NULL, vectors, hidden, NULL),
                "texts is null");
  free(vectors);
  free(alone);
}

/* Uses the constants for the names, and the setter of each type. */
static void test_task_options(const bert_model* model) {
  const bert_input input = BERT_INPUT("A [MASK].");
  const bert_text targets[] = {{"dog", 3}, {"cat", BERT_TO_NUL}};
  const bert_item* items;
  bert_results* results = NULL;
  bert_task* task = NULL;
  size_t count = 0;
  CHECK(bert_task_new(model, BERT_TASK_FILL_MASK, &task) == BERT_OK);
  CHECK(bert_fill_mask_set_top_k(task, 1) == BERT_OK);
  CHECK(bert_fill_mask_set_targets(task, targets, 2) == BERT_OK);
  CHECK(bert_fill_mask_set_long_text(task, "error") == BERT_OK);
  CHECK(bert_task_run(task, &input, 1, NULL, &results) == BERT_OK);
  items = bert_results_items(results, 0, &count);
  CHECK(count == 1 && (strcmp(items[0].text, "dog") == 0 || strcmp(items[0].text, "cat") == 0));
  bert_results_free(results);
  CHECK_REFUSED(BERT_INVALID_ARGUMENT, bert_fill_mask_set_top_k(task, 0), "option top_k: found 0");
  CHECK_REFUSED(BERT_INVALID_ARGUMENT, bert_tag_set_threshold(task, 0.5), "option 'threshold' of fill_mask");
  bert_task_free(task);

  CHECK(bert_task_new(model, BERT_TASK_TAG, &task) == BERT_OK);
  CHECK(bert_tag_set_threshold(task, 0.25) == BERT_OK);
  CHECK(bert_tag_set_nested(task, 1) == BERT_OK);
  CHECK(bert_task_set_word(task, BERT_OPTION_AGGREGATION, "first") == BERT_OK);
  CHECK_REFUSED(BERT_INVALID_ARGUMENT, bert_tag_set_aggregation(task, "second"), "expected one of none, simple");
  bert_task_free(task);
  CHECK(bert_task_new(model, BERT_TASK_RERANK, &task) == BERT_OK);
  CHECK(bert_rerank_set_query(task, "a cat") == BERT_OK);
  bert_task_free(task);
}

/* Loads two models on one runtime, which is freed before the models. */
static void test_runtime(const bert_model* model) {
  const size_t hidden = bert_model_hidden_size(model);
  bert_runtime_options options = BERT_RUNTIME_OPTIONS_INIT;
  bert_load_options load_options = BERT_LOAD_OPTIONS_INIT;
  bert_runtime* runtime = NULL;
  bert_model* models[2] = {NULL, NULL};
  float* expected = floats(hidden);
  float* vector = floats(hidden);
  int i;
  options.threads = 2;
  CHECK(bert_runtime_create(&options, &runtime) == BERT_OK);
  CHECK(bert_runtime_threads(runtime) == 2);
  CHECK(bert_runtime_threads(NULL) == 0);
  load_options.runtime = runtime;
  for (i = 0; i < 2; ++i) CHECK(bert_model_load(NULL, &load_options, &models[i]) == BERT_OK);
  load_options.threads = 3;
  bert_model_free(models[1]);
  CHECK_REFUSED(BERT_INVALID_ARGUMENT, bert_model_load(NULL, &load_options, &models[1]),
                "3 threads requested beside a runtime of 2");
  bert_runtime_free(runtime);
  bert_runtime_free(NULL);
  CHECK(bert_embed_text(model, kText, BERT_TO_NUL, NULL, expected, hidden) == BERT_OK);
  CHECK(bert_embed_text(models[0], kText, BERT_TO_NUL, NULL, vector, hidden) == BERT_OK);
  CHECK(memcmp(vector, expected, hidden * sizeof *vector) == 0);
  bert_model_free(models[0]);
  options.threads = 1;
  options.memory_bytes = 1000;
  CHECK(bert_runtime_create(&options, &runtime) == BERT_OK);
  load_options.threads = 0;
  load_options.runtime = runtime;
  CHECK(bert_model_load(NULL, &load_options, &models[0]) == BERT_OK);
  CHECK_REFUSED(BERT_INVALID_ARGUMENT, bert_embed_text(models[0], kText, BERT_TO_NUL, NULL, vector, hidden),
                "bytes of scratch memory, expected at most the runtime's 1000");
  bert_model_free(models[0]);
  bert_runtime_free(runtime);
  options.threads = 1000000;
  CHECK_REFUSED(BERT_INVALID_ARGUMENT, bert_runtime_create(&options, &runtime), "1000000 threads requested");
  CHECK(runtime == NULL);
  free(expected);
  free(vector);
}

static void* run_job(void* argument) {
  struct job* job = argument;
  const size_t hidden = bert_model_hidden_size(job->model);
  float* vector = floats(hidden);
  char wrong[40];
  int round;
  sprintf(wrong, "no/such/model/%d", job->number);
  for (round = 0; round < 10; ++round) {
    bert_model* none = NULL;
    const int embedded = bert_embed_text(job->model, kText, BERT_TO_NUL, NULL, vector, hidden) == BERT_OK &&
                         memcmp(vector, job->expected, hidden * sizeof *vector) == 0;
    /* Each thread has its own error message. */
    const int refused = bert_model_load(wrong, NULL, &none) == BERT_NOT_FOUND && strstr(bert_error_message(), wrong);
    job->good += embedded && refused;
  }
  free(vector);
  return NULL;
}

static void test_threads(const bert_model* model) {
  enum { kJobs = 4 };
  const size_t hidden = bert_model_hidden_size(model);
  float* expected = floats(hidden);
  struct job jobs[kJobs];
  pthread_t threads[kJobs];
  int i;
  CHECK(bert_embed_text(model, kText, BERT_TO_NUL, NULL, expected, hidden) == BERT_OK);
  for (i = 0; i < kJobs; ++i) {
    jobs[i].model = model;
    jobs[i].expected = expected;
    jobs[i].number = i;
    jobs[i].good = 0;
    if (pthread_create(&threads[i], NULL, run_job, &jobs[i]) != 0) exit(1);
  }
  for (i = 0; i < kJobs; ++i) {
    pthread_join(threads[i], NULL);
    CHECK(jobs[i].good == 10);
  }
  free(expected);
}

int main(void) {
  bert_model* model;
  test_names();
  test_zeroed_options();
  test_error_copy();
  test_load();
  model = load(2);
  test_facts(model);
  test_tokenize(model);
  test_text_of_tokens(model);
  test_tokenizer_alone(model);
  test_encode(model);
  test_embed(model);
  test_embed_texts(model);
  test_embed_sparse(model);
  test_logits(model);
  test_task_options(model);
  test_runtime(model);
  test_threads(model);
  bert_model_free(model);
  printf("%d checks, %d failures\n", checks, failures);
  return failures != 0;
}
