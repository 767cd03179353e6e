// Declares the examples in the headers as C functions.
#ifndef TESTS_EXAMPLES_C_HEADER_EXAMPLES_H
#define TESTS_EXAMPLES_C_HEADER_EXAMPLES_H

#include <stddef.h>

#include "bert/bert.h"
#include "bert/bert_explain.h"

#ifdef __cplusplus
extern "C" {
#endif

void example_bert(void);
double example_explain(const bert_model* model, bert_text a, bert_text b);  // returns the sum of the explanation's
                                                                            // terms
void example_files(void);
void example_task_options(const bert_model* model);
void example_tasks(const bert_model* model);
void example_vectors(const float* vectors, size_t count, size_t size, const float* query);

#ifdef __cplusplus
}
#endif

#endif
