// The C interface (C99) to vectors of a text's tokens and chunks, to late interaction, and to exact search among many
// vectors (bert/vectors.h).
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

// The vectors of a text, and where each one's token or chunk is in it. The caller frees them.
typedef struct bert_vectors bert_vectors;

// 0 and NULL for NULL.
BERT_API size_t bert_vectors_count(const bert_vectors* vectors);
BERT_API size_t bert_vectors_size(const bert_vectors* vectors);           // floats of a vector
BERT_API const float* bert_vectors_data(const bert_vectors* vectors);     // [count, size]
BERT_API const size_t* bert_vectors_starts(const bert_vectors* vectors);  // [count], of chunks; NULL for tokens
BERT_API const size_t* bert_vectors_ends(const bert_vectors* vectors);    // the same, half-open
BERT_API const uint32_t* bert_vectors_tokens(
    const bert_vectors* vectors);  // [count]: each one's token; NULL for chunks
BERT_API size_t bert_vectors_truncated_tokens(const bert_vectors* vectors);  // tokens of the text that were not read
BERT_API void bert_vectors_free(bert_vectors* vectors);                      // NULL is allowed

typedef enum bert_role BERT_ENUM_TYPE { BERT_DOCUMENT = 0, BERT_QUERY = 1 } bert_role;

// A vector for each token of a text in its role (a bert_role), of a late-interaction model; BERT_NOT_FOUND for another.
// *vectors is NULL after an error.
BERT_API bert_status bert_embed_tokens(const bert_model* model, bert_text text, int32_t role, bert_vectors** vectors);

typedef struct bert_chunk_options {
  size_t struct_bytes;
  size_t tokens;                    // of a chunk at most, at the ends of words; 0: no limit
  int sentences;                    // not 0: at the ends of sentences; with tokens as many sentences as they allow
  int32_t offset_unit;              // a bert_offset_unit: of the starts and ends
  const bert_embed_options* embed;  // NULL: the defaults; its progress is not called
} bert_chunk_options;
#define BERT_CHUNK_OPTIONS_INIT \
  { sizeof(bert_chunk_options), 0, 0, BERT_BYTES, NULL }

// Late chunking: one pass over the whole text, then a vector for each of its chunks, as in bert/chunks.h. options must
// ask for tokens or sentences. *vectors is NULL after an error.
BERT_API bert_status bert_embed_chunks(const bert_model* model, bert_text text, const bert_chunk_options* options,
                                       bert_vectors** vectors);

// Vectors of the caller. This structure never grows.
typedef struct bert_vector_rows {
  const float* data;  // [count, size]
  size_t count;
  size_t size;
} bert_vector_rows;

// MaxSim: the sum, over the query's vectors, of the largest dot product with one of the document's, of the same size.
BERT_API bert_status bert_max_sim(bert_vector_rows query, bert_vector_rows document, double* score);

// ---- Search ----

typedef struct bert_index bert_index;

typedef enum bert_scan BERT_ENUM_TYPE {
  BERT_SCAN_FLOAT32 = 0,
  BERT_SCAN_INT8 = 1,   // finds the same rows, from a quarter of the bytes
  BERT_SCAN_BINARY = 2  // an eighth of that; finds those among its candidates
} bert_scan;

typedef struct bert_index_options {
  size_t struct_bytes;
  int32_t scan;       // a bert_scan: what a search reads of each row
  size_t threads;     // of a search; 0: the cores that affinity and the container's limit allow
  const char* label;  // of a file, UTF-8: what the vectors were made of, say; NULL: empty
} bert_index_options;
#define BERT_INDEX_OPTIONS_INIT \
  { sizeof(bert_index_options), BERT_SCAN_FLOAT32, 0, NULL }

// Copies the vectors, which should have length 1: the score is the dot product. *index is NULL after an error.
BERT_API bert_status bert_index_create(bert_vector_rows vectors, const bert_index_options* options, bert_index** index);

// Writes such an index as a file, which appears when it is complete. BERT_IO if it cannot be written.
BERT_API bert_status bert_index_write(const char* file, bert_vector_rows vectors, const bert_index_options* options);

// Maps a file of bert_index_write, `search --index` or VectorIndexWriter, and checks its checksums; its scan and label
// are the file's. The file must not be written while it is used. *index is NULL after an error.
BERT_API bert_status bert_index_open(const char* file, const bert_index_options* options, bert_index** index);

BERT_API void bert_index_free(bert_index* index);  // NULL is allowed

// 0 and NULL for NULL.
BERT_API size_t bert_index_rows(const bert_index* index);
BERT_API size_t bert_index_size(const bert_index* index);        // floats of a vector
BERT_API const char* bert_index_label(const bert_index* index);  // the index owns it

// This structure never grows.
typedef struct bert_hit {
  size_t row;
  double score;  // the dot product of query and row
} bert_hit;

// The best rows for a query, [size], best first: at most `top`, into hits. *found receives their number.
BERT_API bert_status bert_index_search(const bert_index* index, const float* query, size_t top, bert_hit* hits,
                                       size_t* found);

#ifdef __cplusplus
}
#endif

#endif
