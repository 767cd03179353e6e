// The C interface (C99): load, tokenize, encode, embed.
//
//   bert_model* model = NULL;
//   float vector[1024];
//   if (bert_model_load("path/to/bert-base-uncased", NULL, &model) != BERT_OK ||
//       bert_embed_text(model, "The quick brown fox", BERT_TO_NUL, NULL, vector, 1024) != BERT_OK)
//     puts(bert_error_message());
//   bert_model_free(model);
//
// Errors. Every call that can fail returns a bert_status; it never prints, exits, or throws. bert_error_message()
// describes the error in one line. After an error output arguments are undefined, unless the call says otherwise.
//
// Memory. The caller frees a bert_runtime, bert_model or bert_tokenizer with its _free function. Results go to the
// caller's memory, whose size can be computed before. No argument is kept. NULL where none is allowed is an error.
//
// Threads. Runtimes, models and tokenizers are immutable: any number of threads may use one at the same time, with
// every call here. Only _free must not run while another call uses its object. Each thread has its own error message.
//
// Versions. A structure that may grow begins with struct_bytes, which the caller sets to its size, as the _INIT values
// do. The default of every field is 0: fields that an older caller lacks count as 0, and fields that an older library
// lacks must be 0. Without macros, fill the structure with zeros and set struct_bytes.
#ifndef BERT_BERT_H
#define BERT_BERT_H

#include <stddef.h>
#include <stdint.h>

#include "bert/export.h"

#ifdef __cplusplus
extern "C" {
#define BERT_ENUM_TYPE : unsigned  // C++ code may pass any value, as C code may
#else
#define BERT_ENUM_TYPE
#endif

typedef enum bert_status BERT_ENUM_TYPE {
  BERT_OK = 0,
  BERT_INVALID_ARGUMENT = 1,  // an argument is out of range or contradicts another
  BERT_INVALID_FILE = 2,      // a file exists, but its content is wrong
  BERT_NOT_FOUND = 3,         // a requested file, directory, model or a part of a model does not exist
  BERT_UNSUPPORTED = 4,       // valid, but this library does not support it; the message names it
  BERT_INVALID_TEXT = 5,      // a text is not valid UTF-8, or cannot be truncated to the requested length
  BERT_NON_FINITE = 6,        // a NaN or an infinity
  BERT_IO = 7,                // the operating system failed to read, or to create a thread
  BERT_BUFFER_TOO_SMALL = 8,  // the caller's memory is too small for the result; nothing was written to it
  BERT_OUT_OF_MEMORY = 9,
  BERT_INTERNAL = 10,  // a bug in this library
  BERT_CANCELLED = 11  // the caller's bert_progress ended the call
} bert_status;

// Returns the error of this thread's last failed call, one line of UTF-8, or "" if none failed. The library owns the
// text; it is valid until this thread's next failed call.
BERT_API const char* bert_error_message(void);

// Returns the status, and writes this thread's message to message[capacity], cut off if longer; "" for BERT_OK. Written
// as bert_error_copy(bert_model_load(name, NULL, &model), …), it works where functions change threads.
BERT_API bert_status bert_error_copy(bert_status status, char* message, size_t capacity);

BERT_API const char* bert_status_name(bert_status status);  // "BERT_NOT_FOUND"; "" for an unknown number. Static.
BERT_API const char* bert_version(void);                    // the library's version, "0.1.0". Static.
#define BERT_VERSION 100                                    // the header's version: 10000 * major + 100 * minor + patch

// ---- Loading ----

typedef struct bert_model bert_model;
typedef struct bert_tokenizer bert_tokenizer;

// Threads and scratch memory that several models share, as Runtime in bert/runtime.h.
typedef struct bert_runtime bert_runtime;

typedef struct bert_runtime_options {
  size_t struct_bytes;
  size_t threads;       // at most 1024; 0: the physical cores that the process may use
  size_t memory_bytes;  // the most scratch memory for all running forward passes together; 0: no limit
} bert_runtime_options;
#define BERT_RUNTIME_OPTIONS_INIT \
  { sizeof(bert_runtime_options), 0, 0 }

// Creates a runtime. options: NULL for the defaults. The caller owns *runtime and frees it; it is NULL after an error.
BERT_API bert_status bert_runtime_create(const bert_runtime_options* options, bert_runtime** runtime);

BERT_API void bert_runtime_free(bert_runtime* runtime);  // NULL is allowed. Models loaded with the runtime stay usable.
BERT_API size_t bert_runtime_threads(const bert_runtime* runtime);  // 0 for NULL

typedef enum bert_choice BERT_ENUM_TYPE { BERT_DEFAULT = 0, BERT_YES = 1, BERT_NO = 2 } bert_choice;

typedef enum bert_gemm BERT_ENUM_TYPE {
  BERT_GEMM_AUTO = 0,      // this library's kernels if it has them for the CPU, else OpenBLAS, else portable
  BERT_GEMM_NATIVE = 1,    // the same bits in any batch, on any number of threads, on any CPU
  BERT_GEMM_PORTABLE = 2,  // the slow kernels that specify the others
  BERT_GEMM_OPENBLAS = 3   // needs libopenblas at run time; as in bert/model.h
} bert_gemm;

typedef enum bert_precision BERT_ENUM_TYPE {
  BERT_PRECISION_STORED = 0,   // the numbers of the linear layers as in the model's files
  BERT_PRECISION_FLOAT32 = 1,  // floats of any width; a model with 8-bit weights is rejected
  BERT_PRECISION_INT8 = 2,     // 8-bit integers; float weights are quantised when loaded; as in bert/model.h
  BERT_PRECISION_BFLOAT16 = 3  // floats, rounded to bfloat16 before multiplication; as in bert/model.h
} bert_precision;

typedef struct bert_load_options {
  size_t struct_bytes;
  size_t threads;               // threads of one call, at most 1024; 0: the physical cores that the process may use
  int32_t gemm;                 // a bert_gemm, as an integer of fixed size
  int ignore_unexpected;        // not 0: unknown tensors are reported, not rejected
  int check_tensors;            // not 0: reject NaN and infinity in the weights that are used
  int32_t lowercase;            // a bert_choice; used if the tokenizer's files do not say
  const char* revision;         // the revision of a model in the hub's local cache; NULL: "main"
  const bert_runtime* runtime;  // shared with other models; then threads must be 0. NULL: the model's own
  int32_t precision;            // a bert_precision, as an integer of fixed size
  const char* task;             // the task of a model with a route or an adapter per task; NULL: the default
  int copy_weights;             // not 0: weights are copied into memory, not mapped; as in bert/model.h
  size_t packed_bytes;          // the most memory for packed weights; 0: no limit; as in bert/model.h
  const char* encoder;          // directory of the encoder that a GLiNER model only names; as in bert/model.h
  int static_by_modules;        // not 0: modules.json decides for a static model with config.json; as in bert/model.h
  size_t max_words, max_width;  // limits of a GLiNER model; 0: those of its files; as in bert/model.h
  int32_t packing;              // when weights are packed: 0: automatic, 1: never, 2: always; as in bert/model.h
  const char* adapter;          // directory or name of an adapter (LoRA); NULL: none; as in bert/model.h
} bert_load_options;
#define BERT_LOAD_OPTIONS_INIT                                                                                       \
  {                                                                                                                  \
    sizeof(bert_load_options), 0, BERT_GEMM_AUTO, 0, 0, BERT_DEFAULT, NULL, NULL, BERT_PRECISION_STORED, NULL, 0, 0, \
        NULL, 0, 0, 0, 0, NULL                                                                                       \
  }

// Loads a model: a directory in the Hugging Face layout, or a name in the hub's local cache; NULL: the built-in model.
// options: NULL for the defaults. The caller owns *model and frees it; it is NULL after an error.
BERT_API bert_status bert_model_load(const char* name, const bert_load_options* options, bert_model** model);

BERT_API void bert_model_free(bert_model* model);  // NULL is allowed. The model's tokenizer is freed with it.

// Properties of a model. All return 0 if model is NULL; bert_model_notice returns NULL.
BERT_API size_t bert_model_hidden_size(const bert_model* model);
BERT_API size_t bert_model_layers(const bert_model* model);
BERT_API size_t bert_model_attention_layers(const bert_model* model);  // bert_model_layers or a multiple of it
BERT_API size_t bert_model_heads(const bert_model* model);             // per layer
BERT_API const char* bert_model_precision(const bert_model* model);    // of the linear layers: "float32", "int8", …
BERT_API size_t bert_model_max_length(const bert_model* model);        // the default limit of a sequence, in tokens
BERT_API size_t bert_model_max_positions(const bert_model* model);     // the most tokens of a sequence
BERT_API size_t bert_model_packed_bytes(const bert_model* model);      // 0: weights are not packed
BERT_API int bert_model_has_pooler(const bert_model* model);           // 1 or 0
// Returns a message for the user about how the files were read, one line; NULL after the last one. The model owns it.
BERT_API const char* bert_model_notice(const bert_model* model, size_t index);

// Returns BERT_OK if the mapped weight files are unchanged since loading; as Model::check_files in bert/model.h.
BERT_API bert_status bert_model_check_files(const bert_model* model);

// Returns the model's tokenizer, which the model owns; NULL if model is NULL or has no tokenizer. Such a model encodes
// ids; a call with a text returns an error that names what is missing.
BERT_API const bert_tokenizer* bert_model_tokenizer(const bert_model* model);

// Loads a tokenizer without the weights; name and options as for bert_model_load. The caller owns *tokenizer and frees
// it; it is NULL after an error.
BERT_API bert_status bert_tokenizer_load(const char* name, const bert_load_options* options,
                                         bert_tokenizer** tokenizer);
BERT_API void bert_tokenizer_free(bert_tokenizer* tokenizer);  // for tokenizers of bert_tokenizer_load; NULL is allowed

// ---- Texts to tokens, and back ----

// A text is text_bytes bytes of UTF-8; BERT_TO_NUL: it ends at its first zero byte.
#define BERT_TO_NUL ((size_t)-1)

typedef enum bert_truncation BERT_ENUM_TYPE {
  BERT_LONGEST_FIRST = 0,
  BERT_ONLY_FIRST = 1,
  BERT_ONLY_SECOND = 2,
  BERT_NO_TRUNCATION = 3  // a text that is too long is BERT_INVALID_TEXT
} bert_truncation;

// The unit of places in a text. Python slices strings by code points; JavaScript, Java and C# by UTF-16 code units.
typedef enum bert_offset_unit BERT_ENUM_TYPE { BERT_BYTES = 0, BERT_CODE_POINTS = 1, BERT_UTF16 = 2 } bert_offset_unit;

typedef struct bert_tokenize_options {
  size_t struct_bytes;
  size_t max_length;           // tokens, including special tokens; 0: no limit
  int32_t truncation;          // a bert_truncation
  int without_special_tokens;  // not 0: no special tokens are added
  int split_special_tokens;    // "[SEP]" in a text: > 0: plain text; < 0: the special token; 0: as the files say
  int32_t offset_unit;         // a bert_offset_unit, for offset_begins and offset_ends
} bert_tokenize_options;
#define BERT_TOKENIZE_OPTIONS_INIT \
  { sizeof(bert_tokenize_options), 0, BERT_LONGEST_FIRST, 0, 0, BERT_BYTES }

// The caller's memory for the tokens of a text. Each array that is not NULL has room for `capacity` entries.
typedef struct bert_tokens {
  size_t struct_bytes;
  size_t capacity;
  int32_t* ids;
  int32_t* type_ids;             // the segment: 0 for the text, 1 for the pair, as the model's template says
  uint8_t* special_tokens_mask;  // 1 for tokens that the template added
  size_t* offset_begins;         // place in the text or the pair, in offset_unit; 0 for tokens of the template
  size_t* offset_ends;
  int32_t* word_ids;          // index of the word in its text; -1 for tokens of the template
  int32_t* sequence_ids;      // 0: text, 1: pair; -1 for tokens of the template
  size_t size;                // set by the call: number of tokens
  size_t truncated_tokens;    // set by the call: number of tokens removed from text and pair
  size_t unknown_tokens;      // set by the call: number of unknown tokens
  size_t* code_point_begins;  // places as in offset_begins and offset_ends, but in code points
  size_t* code_point_ends;
} bert_tokens;
#define BERT_TOKENS_INIT \
  { sizeof(bert_tokens), 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, NULL }

// Tokenizes a text, or a text and a pair (NULL: none), into at most options->max_length tokens, if that is not 0. If
// there are more tokens than tokens->capacity, the call returns BERT_BUFFER_TOO_SMALL and sets tokens->size to the
// required capacity; a capacity of 0 is a way to ask for the size. options: NULL for the defaults.
BERT_API bert_status bert_tokenize(const bert_tokenizer* tokenizer, const char* text, size_t text_bytes,
                                   const char* pair, size_t pair_bytes, const bert_tokenize_options* options,
                                   bert_tokens* tokens);

// Writes the token with this id, as in the vocabulary, and a zero byte to buffer[capacity]. If bytes is not NULL,
// *bytes is the token's length without the zero byte, also for BERT_BUFFER_TOO_SMALL. BERT_NOT_FOUND for other ids.
BERT_API bert_status bert_token_text(const bert_tokenizer* tokenizer, int32_t id, char* buffer, size_t capacity,
                                     size_t* bytes);

// Writes the id of a token to *id. Returns BERT_NOT_FOUND if the vocabulary has no such token.
BERT_API bert_status bert_token_id(const bert_tokenizer* tokenizer, const char* token, size_t token_bytes, int32_t* id);

// Writes the text of ids, as the reference decodes them; ids without a token are skipped. buffer, capacity and bytes
// are as in bert_token_text.
BERT_API bert_status bert_decode(const bert_tokenizer* tokenizer, const int32_t* ids, size_t count,
                                 int skip_special_tokens, char* buffer, size_t capacity, size_t* bytes);

// Writes the text of the prompt `name`, or, if name is NULL, of the model's default prompt ("" if there is none).
// buffer, capacity and bytes are as in bert_token_text. Returns BERT_NOT_FOUND if the model has no such prompt.
BERT_API bert_status bert_model_prompt(const bert_model* model, const char* name, char* buffer, size_t capacity,
                                       size_t* bytes);

// ---- Tokens to numbers ----

// One sequence of ids, including special tokens. This structure never grows.
typedef struct bert_sequence {
  const int32_t* ids;
  const int32_t* type_ids;  // NULL: all 0
  // NULL: all 1. Masked tokens get no row; the others keep their positions, and the first of them serves as [CLS].
  const uint8_t* attention_mask;
  size_t size;
} bert_sequence;

// The caller's memory: room for `capacity` floats at data. NULL: not requested.
typedef struct bert_floats {
  float* data;
  size_t capacity;
} bert_floats;

// Memory for one sequence's outputs. Rows are the tokens whose attention_mask is 1. This structure never grows.
typedef struct bert_encode_buffers {
  bert_floats last_hidden_state;  // [rows, hidden]
  bert_floats pooler_output;      // [hidden]; not written if the model has no pooler
  bert_floats hidden_states;      // [layers + 1, rows, hidden]
  bert_floats attentions;         // [attention layers, heads, rows (query), rows (key)]
} bert_encode_buffers;

// The number of floats that each of the bert_encode_buffers needs.
typedef struct bert_encode_sizes {
  size_t struct_bytes;
  size_t rows;
  size_t last_hidden_state;
  size_t pooler_output;  // 0 if the model has no pooler
  size_t hidden_states;
  size_t attentions;
} bert_encode_sizes;
#define BERT_ENCODE_SIZES_INIT \
  { sizeof(bert_encode_sizes), 0, 0, 0, 0, 0 }

// Computes the sizes of one sequence's outputs, which depend on its size and mask. Returns BERT_INVALID_ARGUMENT for
// more tokens than bert_model_max_positions().
BERT_API bert_status bert_encode_get_sizes(const bert_model* model, const bert_sequence* sequence,
                                           bert_encode_sizes* sizes);

// Encodes `count` sequences as one batch; the outputs of sequence i go into buffers[i] and do not depend on the other
// sequences (except with OpenBLAS). Buffers must not overlap.
BERT_API bert_status bert_encode(const bert_model* model, const bert_sequence* sequences, size_t count,
                                 const bert_encode_buffers* buffers);

// Reports the progress of a call with many texts: the first `texts` of the input have their results; `tokens` are
// theirs. Returning 0 ends the call with BERT_CANCELLED. Called in the thread that made the call: before the first
// text, after every few forward passes, and after the last text. `context` is the caller's.
typedef int (*bert_progress)(void* context, size_t texts, size_t tokens);

typedef enum bert_pooling BERT_ENUM_TYPE {
  BERT_POOLING_DEFAULT = 0,  // from the model's files
  BERT_POOLING_CLS = 1,
  BERT_POOLING_MEAN = 2,
  BERT_POOLING_MAX = 3,
  BERT_POOLING_POOLER = 4,
  BERT_POOLING_MEAN_SQRT_LENGTH = 5,  // the sum of the tokens divided by the square root of their number
  BERT_POOLING_WEIGHTED_MEAN = 6,     // token i, counted from 1, has the weight i
  BERT_POOLING_LAST_TOKEN = 7
} bert_pooling;

// What to do with a text that is too long for the model.
typedef enum bert_long_text BERT_ENUM_TYPE {
  BERT_LONG_TEXT_DEFAULT = 0,  // BERT_LONG_TEXT_CUT, unless the call says otherwise
  BERT_LONG_TEXT_CUT = 1,      // read only the beginning; the result counts the tokens of the rest
  BERT_LONG_TEXT_WINDOWS = 2,  // read all in windows that share tokens; for calls whose options have a stride
  BERT_LONG_TEXT_ERROR = 3     // fail with BERT_INVALID_TEXT
} bert_long_text;

// The result for one text. This structure never grows.
typedef struct bert_text_report {
  bert_status status;       // BERT_OK, or why the text has no vector
  size_t tokens;            // tokens that were encoded
  size_t truncated_tokens;  // tokens that were removed
  size_t unknown_tokens;
} bert_text_report;

typedef struct bert_embed_options {
  size_t struct_bytes;
  int32_t pooling;    // a bert_pooling
  int32_t normalize;  // a bert_choice; BERT_DEFAULT: from the model's files
  // Keep this many first numbers of a vector (Matryoshka), then normalise. 0: as many as the model's files say, or all.
  size_t dimensions;
  const char* prompt;      // name of a prompt of the model, put before a text; NULL: the default prompt, if any
  bert_progress progress;  // for bert_embed_texts; NULL: none
  void* progress_context;
  int32_t long_text;         // a bert_long_text except BERT_LONG_TEXT_WINDOWS; for calls with texts
  bert_text_report* report;  // written by bert_embed_text; NULL: none
} bert_embed_options;
#define BERT_EMBED_OPTIONS_INIT \
  { sizeof(bert_embed_options), BERT_POOLING_DEFAULT, BERT_DEFAULT, 0, NULL, NULL, NULL, BERT_LONG_TEXT_DEFAULT, NULL }

// Writes the floats of a vector: bert_model_hidden_size, unless the model's files or options->pooling say otherwise.
BERT_API bert_status bert_embed_get_size(const bert_model* model, const bert_embed_options* options, size_t* size);

// Embeds sequences of ids into vectors: [count, size], with room for `capacity` floats (size: bert_embed_get_size).
// options: NULL for the defaults. The ids must include the prompt's (bert_model_prompt).
BERT_API bert_status bert_embed(const bert_model* model, const bert_sequence* sequences, size_t count,
                                const bert_embed_options* options, float* vectors, size_t capacity);

// Embeds one text into vector: [size]. The prompt, if any, is put before the text, which is then truncated to
// bert_model_max_length tokens; options->report says so.
BERT_API bert_status bert_embed_text(const bert_model* model, const char* text, size_t text_bytes,
                                     const bert_embed_options* options, float* vector, size_t capacity);

// Embeds many texts on all threads into vectors: [count, size], with room for `capacity` floats. text_bytes: the size
// of each text; NULL: each ends at its zero byte. reports: NULL, or one for each text. If texts fail, the call returns
// the status of the first failed text, with its message; the others have their vectors, all have reports, and a failed
// text has a row of NaN. After BERT_CANCELLED finished texts have vectors and reports; the others have NaN and
// BERT_CANCELLED.
BERT_API bert_status bert_embed_texts(const bert_model* model, const char* const* texts, const size_t* text_bytes,
                                      size_t count, const bert_embed_options* options, float* vectors, size_t capacity,
                                      bert_text_report* reports);

typedef struct bert_sparse_options {
  size_t struct_bytes;
  size_t max_active;       // keep this many largest weights of a text; 0: as many as the model's files say, or all
  bert_progress progress;  // NULL: none
  void* progress_context;
  int32_t long_text;  // a bert_long_text except BERT_LONG_TEXT_WINDOWS
} bert_sparse_options;
#define BERT_SPARSE_OPTIONS_INIT \
  { sizeof(bert_sparse_options), 0, NULL, NULL, BERT_LONG_TEXT_DEFAULT }

// Computes sparse vectors of many texts, as VectorRequest::sparse says, as one CSR matrix: text i has the
// entries row_starts[i] to row_starts[i + 1] of ids, ascending ids of the vocabulary, and of weights.   row_starts:
// [count + 1]; ids, weights: room for `capacity` entries; count * max_active are enough. If they are too few, the call
// returns BERT_BUFFER_TOO_SMALL; row_starts[count] entries are needed. Prompts, text_bytes, reports and failed texts as
// in bert_embed_texts; a failed text has no entries. BERT_NOT_FOUND if the model makes no sparse vectors.
BERT_API bert_status bert_embed_sparse_texts(const bert_model* model, const char* const* texts,
                                             const size_t* text_bytes, size_t count, const bert_sparse_options* options,
                                             size_t* row_starts, int32_t* ids, float* weights, size_t capacity,
                                             bert_text_report* reports);

// ---- Task heads ----

// Logits of BERT_HEAD_MASKED_LM, _TOKEN_CLASSIFICATION, _QUESTION_ANSWERING and _REPLACED_TOKENS have a row for each
// token whose attention_mask is 1; those of the other heads have one row.
typedef enum bert_head BERT_ENUM_TYPE {
  BERT_HEAD_MASKED_LM = 0,                // [tokens, vocab]
  BERT_HEAD_SEQUENCE_CLASSIFICATION = 1,  // [1, labels]
  BERT_HEAD_TOKEN_CLASSIFICATION = 2,     // [tokens, labels]
  BERT_HEAD_QUESTION_ANSWERING = 3,       // [tokens, 2]: start and end
  BERT_HEAD_NEXT_SENTENCE = 4,            // [1, 2]: the second text is the next one; it is not
  BERT_HEAD_MULTIPLE_CHOICE = 5,          // [1, 1]: for one choice
  BERT_HEAD_REPLACED_TOKENS = 6           // [tokens, 1]
} bert_head;

// Computes the size of one sequence's logits, [rows, outputs]. Returns BERT_NOT_FOUND, with a message that lists the
// model's heads, if the model lacks this head.
BERT_API bert_status bert_logits_get_sizes(const bert_model* model, int32_t head, const bert_sequence* sequence,
                                           size_t* rows, size_t* outputs);

// Computes a head's logits for `count` sequences as one batch. logits[i] receives those of sequence i: [rows, outputs];
// its data must not be NULL. They do not depend on the other sequences (except with OpenBLAS).
BERT_API bert_status bert_logits(const bert_model* model, int32_t head, const bert_sequence* sequences, size_t count,
                                 const bert_floats* logits);

// Returns the label of a classification head's output; NULL if config.json has none for it. The model owns it.
BERT_API const char* bert_model_label(const bert_model* model, size_t output);

// Computes the cosine of two vectors of `size` floats, summed in float64; 0 if one of them is all zeros.
BERT_API bert_status bert_cosine_similarity(const float* a, const float* b, size_t size, double* cosine);

#ifdef __cplusplus
}
#endif

#endif
