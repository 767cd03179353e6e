// The C interface (C99) to bert/quantize.h: writes a copy of a model with smaller weights, and identifies a model by a
// digest.
//
//   if (bert_quantize("path/to/bert-base-uncased", "bert-base-int8", BERT_WEIGHTS_INT8, NULL) != BERT_OK)
//     puts(bert_error_message());
#ifndef BERT_BERT_FILES_H
#define BERT_BERT_FILES_H

#include "bert/bert.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bert_small_weights BERT_ENUM_TYPE {
  BERT_WEIGHTS_INT8 = 0,         // 8 bits for the encoder's linear layers
  BERT_WEIGHTS_INT8_TABLES = 1,  // 8 bits for the embedding tables too
  BERT_WEIGHTS_FLOAT16 = 2,      // float16 for every matrix
  BERT_WEIGHTS_BFLOAT16 = 3
} bert_small_weights;

// Writes the model `name` (as in bert_model_load) with smaller weights (a bert_small_weights) into `directory`, which
// must not exist and appears when it is complete. options: for loading the source, except precision and gemm; NULL: the
// defaults.
BERT_API bert_status bert_quantize(const char* name, const char* directory, int32_t weights,
                                   const bert_load_options* options);

// Writes the SHA-256 of all files that decide a model's numbers, as 64 hexadecimal digits and a zero byte. Store it
// with vectors to know which model made them. name: as in bert_model_load; NULL: the built-in model. revision: NULL:
// "main".
BERT_API bert_status bert_model_digest(const char* name, const char* revision, char digest[65]);

#ifdef __cplusplus
}
#endif

#endif
