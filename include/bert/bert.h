// The C interface (C99): load, tokenize, encode, embed.
//
//   bert_model* model = NULL;
//   float vector[1024];
//   if (bert_model_load("path/to/bert-base-uncased", NULL, &model) != BERT_OK ||
//       bert_embed_text(model, "The quick brown fox", BERT_TO_NUL, NULL, vector, 1024) != BERT_OK)
//     puts(bert_error_message());
//   bert_model_free(model);
//
// Errors. Every call that can fail returns a bert_status and does nothing worse: it never prints, exits, or lets a C++
// exception through. bert_error_message() says in one line what is wrong. What a failed call would have filled is not
// defined, except where the call says otherwise.
//
// Memory. What the library makes (bert_runtime, bert_model, bert_tokenizer) the caller frees with its type's _free. All
// results are written into memory of the caller, whose sizes can be known before the call. Nothing that the caller
// passes in is kept after the call. A pointer that must not be null and is, is BERT_INVALID_ARGUMENT.
//
// Threads. Runtimes, models and tokenizers never change: any number of threads may use one at once, with every call
// here; only _free must come when no other call on it still runs. The error message is the calling thread's own.
//
// Versions. A structure that may grow begins with struct_bytes, which the caller sets to its size, as the _INIT values
// do. 0 is every field's default: fields that the caller does not know count as 0, and a later version's fields that
// this library does not know must be 0.
#ifndef BERT_BERT_H
#define BERT_BERT_H

#include <stddef.h>
#include <stdint.h>

#include "bert/export.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bert_status {
  BERT_OK = 0,
  BERT_INVALID_ARGUMENT = 1,  // a value that the caller gave is out of range or contradicts another
  BERT_INVALID_FILE = 2,      // a file is there, but its content is not what it must be
  BERT_NOT_FOUND = 3,         // a file, a directory, a model or a part of it that was asked for is not there
  BERT_UNSUPPORTED = 4,       // valid, but this library does not do it; the message names it
  BERT_INVALID_TEXT = 5,      // a text is not valid UTF-8, or cannot be cut to the length asked for
  BERT_NON_FINITE = 6,        // a NaN or an infinity where a number must be
  BERT_IO = 7,                // the operating system refused to read, or to make a thread
  BERT_BUFFER_TOO_SMALL = 8,  // the caller's memory does not take the result; nothing was written to it
  BERT_OUT_OF_MEMORY = 9,
  BERT_INTERNAL = 10  // a mistake of the library's own
} bert_status;

// What went wrong in this thread's last call that failed, one line of UTF-8; "" before there was one. The library owns
// it; it holds until this thread's next call that fails.
BERT_API const char* bert_error_message(void);

// "BERT_NOT_FOUND"; "" for a number that is none of the above. Static.
BERT_API const char* bert_status_name(bert_status status);

// "0.1.0". Static.
BERT_API const char* bert_version(void);

// ---- Loading ----

typedef struct bert_model bert_model;
typedef struct bert_tokenizer bert_tokenizer;

// Threads and scratch memory that several models share, as in bert/runtime.h.
typedef struct bert_runtime bert_runtime;

typedef struct bert_runtime_options {
  size_t struct_bytes;
  size_t threads;       // at most 1024; 0: the CPUs that the process may use
  size_t memory_bytes;  // the most scratch memory of all passes together; 0: no limit
} bert_runtime_options;
#define BERT_RUNTIME_OPTIONS_INIT \
  { sizeof(bert_runtime_options), 0, 0 }

// options: NULL for the defaults. The caller owns *runtime and frees it; it is NULL after an error.
BERT_API bert_status bert_runtime_create(const bert_runtime_options* options, bert_runtime** runtime);

// NULL is allowed. Models that were loaded with it go on.
BERT_API void bert_runtime_free(bert_runtime* runtime);

BERT_API size_t bert_runtime_threads(const bert_runtime* runtime);  // 0 for NULL

typedef enum bert_choice { BERT_DEFAULT = 0, BERT_YES = 1, BERT_NO = 2 } bert_choice;

typedef enum bert_gemm {
  BERT_GEMM_AUTO = 0,      // this library's kernels where it has some for the CPU, else OpenBLAS, else portable
  BERT_GEMM_OWN = 1,       // the same bits in any batch, on any number of threads, on any CPU
  BERT_GEMM_PORTABLE = 2,  // the kernels' plain specification, slow
  BERT_GEMM_OPENBLAS = 3   // needs libopenblas at run time; as in bert/model.h
} bert_gemm;

typedef struct bert_load_options {
  size_t struct_bytes;
  size_t threads;               // that one call may use, at most 1024; 0: the CPUs that the process may use
  int32_t gemm;                 // a bert_gemm; the options' enumerators are numbers of a known size
  int ignore_unexpected;        // not 0: tensors of unknown names are noticed, not refused
  int check_tensors;            // not 0: refuse a NaN or an infinity in any weight that is used
  int32_t lowercase;            // a bert_choice; decides where the tokenizer's files do not
  const char* revision;         // of a model in the hub's local cache; NULL: "main"
  const bert_runtime* runtime;  // shared with other models; then threads must be 0. NULL: the model's own
} bert_load_options;
#define BERT_LOAD_OPTIONS_INIT \
  { sizeof(bert_load_options), 0, BERT_GEMM_AUTO, 0, 0, BERT_DEFAULT, NULL, NULL }

// Loads a model: a directory as the Hugging Face hub lays it out, or a name in the hub's local cache; NULL: the small
// model inside the library. options: NULL for the defaults. The caller owns *model and frees it; it is NULL after an
// error.
BERT_API bert_status bert_model_load(const char* name, const bert_load_options* options, bert_model** model);

// NULL is allowed. The model's tokenizer goes with it.
BERT_API void bert_model_free(bert_model* model);

// Facts. 0 (notice: NULL) where model is NULL.
BERT_API size_t bert_model_hidden_size(const bert_model* model);
BERT_API size_t bert_model_layers(const bert_model* model);
BERT_API size_t bert_model_attention_layers(const bert_model* model);  // bert_model_layers, or a multiple of it
BERT_API size_t bert_model_heads(const bert_model* model);             // of one layer's attention
BERT_API size_t bert_model_max_length(const bert_model* model);        // default limit of a sequence in tokens
BERT_API size_t bert_model_max_positions(const bert_model* model);     // the longest sequence that the model takes
BERT_API int bert_model_has_pooler(const bert_model* model);           // 1 or 0
// What a person should know about how the files were read, a line each; NULL past the last. The model owns them.
BERT_API const char* bert_model_notice(const bert_model* model, size_t index);

// The model's own tokenizer. The model owns it: it is not to be freed, and holds as long as the model. NULL for NULL.
BERT_API const bert_tokenizer* bert_model_tokenizer(const bert_model* model);

// Loads a tokenizer without the weights; name and options as for bert_model_load. The caller owns *tokenizer and frees
// it; it is NULL after an error.
BERT_API bert_status bert_tokenizer_load(const char* name, const bert_load_options* options,
                                         bert_tokenizer** tokenizer);

// A tokenizer that bert_tokenizer_load made. NULL is allowed.
BERT_API void bert_tokenizer_free(bert_tokenizer* tokenizer);

// ---- Texts to tokens, and back ----

// Texts are UTF-8 and text_bytes long; BERT_TO_NUL: up to the first zero byte.
#define BERT_TO_NUL ((size_t)-1)

typedef enum bert_truncation {
  BERT_LONGEST_FIRST = 0,
  BERT_ONLY_FIRST = 1,
  BERT_ONLY_SECOND = 2,
  BERT_NO_TRUNCATION = 3  // a text that is too long is BERT_INVALID_TEXT
} bert_truncation;

typedef struct bert_tokenize_options {
  size_t struct_bytes;
  size_t max_length;           // tokens at most, special ones counted; 0: no limit
  int32_t truncation;          // a bert_truncation
  int without_special_tokens;  // not 0: nothing is added around the text
  int plain_special_tokens;    // not 0: "[SEP]" typed in a text is text, not the special token
} bert_tokenize_options;
#define BERT_TOKENIZE_OPTIONS_INIT \
  { sizeof(bert_tokenize_options), 0, BERT_LONGEST_FIRST, 0, 0 }

// The caller's memory for the tokens of a text. Each array that is not NULL has room for `capacity` entries.
typedef struct bert_tokens {
  size_t struct_bytes;
  size_t capacity;
  int32_t* ids;
  int32_t* type_ids;             // segment: 0 for the text, 1 for the pair, as the model's template says
  uint8_t* special_tokens_mask;  // 1 on tokens that the template added
  size_t* offset_begins;         // bytes of the text (of the pair for its tokens); 0 on the template's tokens
  size_t* offset_ends;
  int32_t* word_ids;        // index of the word in its text; -1 on the template's tokens
  int32_t* sequence_ids;    // 0: text, 1: pair; -1 on the template's tokens
  size_t size;              // set by the call: how many tokens
  size_t truncated_tokens;  // set by the call: tokens of text and pair that were cut
  size_t unknown_tokens;    // set by the call: of the size
} bert_tokens;
#define BERT_TOKENS_INIT \
  { sizeof(bert_tokens), 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, 0 }

// Tokenizes a text, or a text and a pair (NULL: none). There are never more tokens than options->max_length, where that
// is not 0. Where there are more than tokens->capacity the call returns BERT_BUFFER_TOO_SMALL and tokens->size is what
// is needed, so a capacity of 0 asks for the size. options: NULL for the defaults.
BERT_API bert_status bert_tokenize(const bert_tokenizer* tokenizer, const char* text, size_t text_bytes,
                                   const char* pair, size_t pair_bytes, const bert_tokenize_options* options,
                                   bert_tokens* tokens);

// The token of an id, as the vocabulary spells it, and a zero byte behind it, into buffer[capacity]. *bytes, where
// bytes is not NULL, becomes its length without the zero byte, also for BERT_BUFFER_TOO_SMALL. BERT_NOT_FOUND for an id
// that no token has.
BERT_API bert_status bert_token_text(const bert_tokenizer* tokenizer, int32_t id, char* buffer, size_t capacity,
                                     size_t* bytes);

// The id of a token; BERT_NOT_FOUND where the vocabulary has no such token.
BERT_API bert_status bert_token_id(const bert_tokenizer* tokenizer, const char* token, size_t token_bytes, int32_t* id);

// Ids to text, as the reference decodes; ids that no token has are skipped. buffer, capacity and bytes as above.
BERT_API bert_status bert_decode(const bert_tokenizer* tokenizer, const int32_t* ids, size_t count,
                                 int skip_special_tokens, char* buffer, size_t capacity, size_t* bytes);

// What the model wants before a text for the prompt `name`, or, where name is NULL, for the one that its files name as
// the default ("" where they name none). buffer, capacity and bytes as above. BERT_NOT_FOUND where the model has no
// such prompt.
BERT_API bert_status bert_model_prompt(const bert_model* model, const char* name, char* buffer, size_t capacity,
                                       size_t* bytes);

// ---- Tokens to numbers ----

// One sequence of ids, special tokens included. Never grows.
typedef struct bert_sequence {
  const int32_t* ids;
  const int32_t* type_ids;  // NULL: all 0
  // NULL: all 1. Masked tokens get no row; the others keep their positions. The first that is not masked is what
  // pooling by cls, the pooler and the heads of a whole sequence take for [CLS].
  const uint8_t* attention_mask;
  size_t size;
} bert_sequence;

// The caller's memory: room for `capacity` floats at data. NULL: not wanted.
typedef struct bert_floats {
  float* data;
  size_t capacity;
} bert_floats;

// Where one sequence's numbers go. Rows are the tokens whose attention_mask is 1. Never grows.
typedef struct bert_encode_buffers {
  bert_floats last_hidden_state;  // [rows, hidden]
  bert_floats pooler_output;      // [hidden]; nothing is written where the model has no pooler
  bert_floats hidden_states;      // [layers + 1, rows, hidden]
  bert_floats attentions;         // [attention layers, heads, rows (query), rows (key)]
} bert_encode_buffers;

// How many floats each of them gets.
typedef struct bert_encode_sizes {
  size_t struct_bytes;
  size_t rows;
  size_t last_hidden_state;
  size_t pooler_output;  // 0 where the model has no pooler
  size_t hidden_states;
  size_t attentions;
} bert_encode_sizes;
#define BERT_ENCODE_SIZES_INIT \
  { sizeof(bert_encode_sizes), 0, 0, 0, 0, 0 }

// The sizes of one sequence's results, which its size and its mask decide. BERT_INVALID_ARGUMENT for more tokens than
// bert_model_max_positions().
BERT_API bert_status bert_encode_get_sizes(const bert_model* model, const bert_sequence* sequence,
                                           bert_encode_sizes* sizes);

// Runs `count` sequences as one batch; sequence i's numbers go to buffers[i]. They do not depend on the other sequences
// (except with OpenBLAS). Buffers must not overlap.
BERT_API bert_status bert_encode(const bert_model* model, const bert_sequence* sequences, size_t count,
                                 const bert_encode_buffers* buffers);

typedef enum bert_pooling {
  BERT_POOLING_DEFAULT = 0,  // what the model says
  BERT_POOLING_CLS = 1,
  BERT_POOLING_MEAN = 2,
  BERT_POOLING_MAX = 3,
  BERT_POOLING_POOLER = 4
} bert_pooling;

typedef struct bert_embed_options {
  size_t struct_bytes;
  int32_t pooling;    // a bert_pooling
  int32_t normalize;  // a bert_choice; BERT_DEFAULT: what the model says
} bert_embed_options;
#define BERT_EMBED_OPTIONS_INIT \
  { sizeof(bert_embed_options), BERT_POOLING_DEFAULT, BERT_DEFAULT }

// One vector a sequence into vectors: [count, hidden], where there is room for `capacity` floats. options: NULL for the
// defaults. A prompt of the model has to be in the ids (bert_model_prompt).
BERT_API bert_status bert_embed(const bert_model* model, const bert_sequence* sequences, size_t count,
                                const bert_embed_options* options, float* vectors, size_t capacity);

// The same for one text: [hidden]. Before it goes the prompt that the model's files name as the default, if any; then
// it is cut to bert_model_max_length tokens.
BERT_API bert_status bert_embed_text(const bert_model* model, const char* text, size_t text_bytes,
                                     const bert_embed_options* options, float* vector, size_t capacity);

// What became of one of many texts. Never grows.
typedef struct bert_text_report {
  bert_status status;       // BERT_OK, or why the text has no vector
  size_t tokens;            // that its vector was made of
  size_t truncated_tokens;  // that were cut
  size_t unknown_tokens;
} bert_text_report;

// The same for many texts, tokenized and encoded on all threads: vectors is [count, hidden], with room for `capacity`
// floats. text_bytes: each text's; NULL: all up to their zero byte. reports: NULL, or one for each text. Where texts
// fail, the call returns the status of the first with its message, the others have their vectors and all their reports,
// and a text that failed has a row of NaN.
BERT_API bert_status bert_embed_texts(const bert_model* model, const char* const* texts, const size_t* text_bytes,
                                      size_t count, const bert_embed_options* options, float* vectors, size_t capacity,
                                      bert_text_report* reports);

// The cosine of two vectors of `size` floats, summed in float64; 0 where one of them is all zeros.
BERT_API bert_status bert_cosine_similarity(const float* a, const float* b, size_t size, double* cosine);

#ifdef __cplusplus
}
#endif

#endif
