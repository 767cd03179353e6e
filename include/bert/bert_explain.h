// The C interface (C99) to bert/explain.h: explains a score as a sum of terms and a remainder.
//
//   bert_explanation* why = NULL;
//   if (bert_explain_similarity(model, a, b, NULL, &why) == BERT_OK)
//     for (size_t i = 0; i < bert_explanation_part_count(why, 0); ++i)
//       for (size_t j = 0; j < bert_explanation_part_count(why, 1); ++j)
//         use(bert_explanation_terms(why)[i * bert_explanation_part_count(why, 1) + j]);
//   bert_explanation_free(why);
//
// Errors, texts, threads and structures that may grow are as in bert/bert.h.
#ifndef BERT_BERT_EXPLAIN_H
#define BERT_BERT_EXPLAIN_H

#include "bert/bert.h"
#include "bert/bert_tasks.h"

#ifdef __cplusplus
extern "C" {
#endif

// What each term of an explanation belongs to.
typedef enum bert_explanation_kind BERT_ENUM_TYPE {
  BERT_TOKEN_PAIRS = 0,    // dense vectors: a token of one text and a token of the other
  BERT_ENTRIES = 1,        // sparse vectors: an entry of the vocabulary that both texts have
  BERT_MATCHES = 2,        // token vectors: a token of the query and the document's token that it matches
  BERT_WORDS_LEFT_OUT = 3  // for scores that are no sum: a word; its term is the score minus the score without it
} bert_explanation_kind;

// An explanation. The caller frees it; it does not depend on the model, and owns what the calls below return.
typedef struct bert_explanation bert_explanation;

// Properties of an explanation. All return 0 or NULL if why is NULL.
BERT_API int32_t bert_explanation_kind_of(const bert_explanation* why);       // a bert_explanation_kind
BERT_API const char* bert_explanation_function(const bert_explanation* why);  // "cosine", "maxsim", …; "" for labels
BERT_API const char* bert_explanation_no_sum(const bert_explanation* why);    // why the score is no sum, for
                                                                              // BERT_WORDS_LEFT_OUT; else ""
// The scores that are explained: a classifier's labels (text, score), in the order of the model's outputs; for a
// similarity one item that has only a score.
BERT_API const bert_item* bert_explanation_outputs(const bert_explanation* why);
BERT_API size_t bert_explanation_output_count(const bert_explanation* why);
// Each score minus the sum of its terms.   [outputs]
BERT_API const double* bert_explanation_remainders(const bert_explanation* why);

// The parts of the first text (which: 0) or of the second (1), which is a classifier's pair or a query's document.
// BERT_WORDS_LEFT_OUT: the text's words (text, start, end).
// BERT_TOKEN_PAIRS and BERT_MATCHES: its tokens (text, id, start, end; tokens of one word have the same index). The
// last part may be "(bias)", with id -1: the part of a vector that comes from no token.
// BERT_ENTRIES: the entries, the same for both texts, the largest term first (text, id; score: the text's weight).
// Words and tokens that the model adds have start and end 0.
BERT_API const bert_item* bert_explanation_parts(const bert_explanation* why, int which);
BERT_API size_t bert_explanation_part_count(const bert_explanation* why, int which);

// BERT_TOKEN_PAIRS and BERT_MATCHES: [parts of the first, parts of the second]. BERT_ENTRIES: [entries].
// BERT_WORDS_LEFT_OUT: [parts of the first, then those of the second, outputs].
BERT_API const double* bert_explanation_terms(const bert_explanation* why);
BERT_API void bert_explanation_free(bert_explanation* why);  // NULL is allowed

typedef enum bert_vector_kind BERT_ENUM_TYPE {
  BERT_DENSE = 0,
  BERT_SPARSE = 1,
  BERT_TOKEN_VECTORS = 2  // of a query and a document
} bert_vector_kind;

typedef struct bert_explain_options {
  size_t struct_bytes;
  int32_t vectors;             // a bert_vector_kind, for a similarity
  int32_t pooling;             // a bert_pooling, for dense vectors
  const char* relevant_label;  // for bert_explain_relevance: the option of the task "rerank"
  int32_t offset_unit;         // a bert_offset_unit, for the parts' start and end
} bert_explain_options;
#define BERT_EXPLAIN_OPTIONS_INIT \
  { sizeof(bert_explain_options), BERT_DENSE, BERT_POOLING_DEFAULT, NULL, BERT_BYTES }

// Explains the similarity of two texts. Each bert_explain_ call writes *why, NULL after an error. options: NULL for the
// defaults.
BERT_API bert_status bert_explain_similarity(const bert_model* model, bert_text a, bert_text b,
                                             const bert_explain_options* options, bert_explanation** why);

// Explains a classifier's scores for a text, or for a text and its pair (data NULL: none).
BERT_API bert_status bert_explain_labels(const bert_model* model, bert_text text, bert_text pair,
                                         const bert_explain_options* options, bert_explanation** why);

// Explains a classifier's score of how well a document fits a query. For a model that compares vectors, use
// bert_explain_similarity.
BERT_API bert_status bert_explain_relevance(const bert_model* model, bert_text query, bert_text document,
                                            const bert_explain_options* options, bert_explanation** why);

#ifdef __cplusplus
}
#endif

#endif
