// The C interface (C99) to bert/quantize.h: a model with smaller weights, as a directory of its own, and what
// identifies a model.
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
  BERT_WEIGHTS_INT8 = 0,         // the encoder's linear layers in 8 bits
  BERT_WEIGHTS_INT8_TABLES = 1,  // the rows of the embedding tables too
  BERT_WEIGHTS_FLOAT16 = 2,      // every matrix
  BERT_WEIGHTS_BFLOAT16 = 3
} bert_small_weights;

// Writes the model `name`, as for bert_model_load, with such weights (a bert_small_weights) into `directory`, which
// must not exist and appears when it is complete. options: for loading the source, but for its precision and gemm;
// NULL: the defaults.
BERT_API bert_status bert_quantize(const char* name, const char* directory, int32_t weights,
                                   const bert_load_options* options);

// The SHA-256 of all files that decide the numbers of a model, as 64 hexadecimal digits and a zero byte: of a database,
// say, that stores its vectors. name: as for bert_model_load; NULL: the built-in model. revision: NULL: "main".
BERT_API bert_status bert_model_digest(const char* name, const char* revision, char digest[65]);

#ifdef __cplusplus
}
#endif

#endif
