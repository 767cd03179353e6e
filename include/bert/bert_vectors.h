// The C interface (C99) to bert/vectors.h and bert/chunks.h: vectors of a text's tokens and chunks, late interaction,
// and exact search among many vectors.
//
//   bert_index* index = NULL;
//   bert_hit hits[10];
//   size_t found = 0;
//   bert_vector_rows rows = {vectors, count, size};
//   if (bert_index_create(rows, NULL, &index) == BERT_OK &&
//       bert_index_search(index, query, 10, hits, &found) == BERT_OK)
//     printf("row %zu, %.3f\n", hits[0].row, hits[0].score);
//   bert_index_free(index);
//
// Errors, texts, threads and structures that may grow are as in bert/bert.h.
#ifndef BERT_BERT_VECTORS_H
#define BERT_BERT_VECTORS_H

#include "bert/bert.h"
#include "bert/bert_tasks.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Several vectors of a text ----

// The vectors of a text's tokens or chunks, and the place of each in the text. The caller frees them.
typedef struct bert_vectors bert_vectors;

// Properties of vectors. All return 0 or NULL if vectors is NULL.
BERT_API size_t bert_vectors_count(const bert_vectors* vectors);
BERT_API size_t bert_vectors_size(const bert_vectors* vectors);           // floats of a vector
BERT_API const float* bert_vectors_data(const bert_vectors* vectors);     // [count, size]
BERT_API const size_t* bert_vectors_starts(const bert_vectors* vectors);  // [count]: where each chunk begins; NULL for
                                                                          // tokens
BERT_API const size_t* bert_vectors_ends(const bert_vectors* vectors);    // [count]: where each chunk ends, half-open;
                                                                          // NULL for tokens
BERT_API const uint32_t* bert_vectors_tokens(
    const bert_vectors* vectors);  // [count]: the token of each vector; NULL for chunks
BERT_API size_t bert_vectors_truncated_tokens(const bert_vectors* vectors);  // tokens of the text that were not read
BERT_API void bert_vectors_free(bert_vectors* vectors);                      // NULL is allowed

typedef enum bert_role BERT_ENUM_TYPE { BERT_DOCUMENT = 0, BERT_QUERY = 1 } bert_role;

// Computes a vector for each token of a text in its role (a bert_role). Returns BERT_NOT_FOUND unless the model is a
// late-interaction model. *vectors is NULL after an error.
BERT_API bert_status bert_embed_tokens(const bert_model* model, bert_text text, int32_t role, bert_vectors** vectors);

typedef struct bert_chunk_options {
  size_t struct_bytes;
  size_t tokens;                    // at most this many tokens per chunk, divided at ends of words; 0: no limit
  int sentences;                    // not 0: divide at ends of sentences; with tokens, as many sentences as fit
  int32_t offset_unit;              // a bert_offset_unit, for the starts and ends
  const bert_embed_options* embed;  // NULL: the defaults; its progress is not called
} bert_chunk_options;
#define BERT_CHUNK_OPTIONS_INIT \
  { sizeof(bert_chunk_options), 0, 0, BERT_BYTES, NULL }

// Late chunking: one forward pass over the whole text, then a vector for each of its chunks, as in bert/chunks.h.
// options must set tokens or sentences. *vectors is NULL after an error.
BERT_API bert_status bert_embed_chunks(const bert_model* model, bert_text text, const bert_chunk_options* options,
                                       bert_vectors** vectors);

// Vectors of the caller. This structure never grows.
typedef struct bert_vector_rows {
  const float* data;  // [count, size]
  size_t count;
  size_t size;
} bert_vector_rows;

// Computes MaxSim: for each vector of the query the largest dot product with a vector of the document, summed. All
// vectors have the same size.
BERT_API bert_status bert_max_sim(bert_vector_rows query, bert_vector_rows document, double* score);

// ---- Search ----

typedef struct bert_index bert_index;

typedef enum bert_scan BERT_ENUM_TYPE {
  BERT_SCAN_FLOAT32 = 0,
  BERT_SCAN_INT8 = 1,   // finds the same rows as FLOAT32, and reads a quarter of the bytes
  BERT_SCAN_BINARY = 2  // reads an eighth of what INT8 reads; may miss rows
} bert_scan;

typedef struct bert_index_options {
  size_t struct_bytes;
  int32_t scan;       // a bert_scan: what a search reads for each row
  size_t threads;     // threads of a search; 0: the cores that affinity and the container's limit allow
  const char* label;  // stored in the file, UTF-8, such as what the vectors were made of; NULL: empty
} bert_index_options;
#define BERT_INDEX_OPTIONS_INIT \
  { sizeof(bert_index_options), BERT_SCAN_FLOAT32, 0, NULL }

// Creates an index with a copy of the vectors, which should have length 1: the score is the dot product. *index is NULL
// after an error.
BERT_API bert_status bert_index_create(bert_vector_rows vectors, const bert_index_options* options, bert_index** index);

// Writes an index of these vectors to a file, which appears when it is complete. Returns BERT_IO if it cannot be
// written.
BERT_API bert_status bert_index_write(const char* file, bert_vector_rows vectors, const bert_index_options* options);

// Maps a file written by bert_index_write, `search --index` or VectorIndexWriter, and checks its checksums; scan and
// label come from the file. The file must not be written to while it is used. *index is NULL after an error.
BERT_API bert_status bert_index_open(const char* file, const bert_index_options* options, bert_index** index);

BERT_API void bert_index_free(bert_index* index);  // NULL is allowed

// Properties of an index. All return 0 or NULL if index is NULL.
BERT_API size_t bert_index_rows(const bert_index* index);
BERT_API size_t bert_index_size(const bert_index* index);        // floats of a vector
BERT_API const char* bert_index_label(const bert_index* index);  // the index owns it

// A row that a search found. This structure never grows.
typedef struct bert_hit {
  size_t row;
  double score;  // the dot product of query and row
} bert_hit;

// Finds the rows with the largest dot products with query, [size]: writes at most `top` into hits, best first, and
// their number into *found.
BERT_API bert_status bert_index_search(const bert_index* index, const float* query, size_t top, bert_hit* hits,
                                       size_t* found);

#ifdef __cplusplus
}
#endif

#endif
