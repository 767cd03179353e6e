// The examples of the headers in C. Each is a function of a user, whose arguments are what the example takes for
// granted.
#include "tests/examples/c_header_examples.h"

#include <stdio.h>

#include "bert/bert.h"
#include "bert/bert_explain.h"
#include "bert/bert_files.h"
#include "bert/bert_task_options.h"
#include "bert/bert_tasks.h"
#include "bert/bert_vectors.h"

static double used = 0;
static void use(double number) { used += number; }

void example_bert(void) {
#include "bert.h.1.inc"
}

double example_explain(const bert_model* model, bert_text a, bert_text b) {
  used = 0;
#include "bert_explain.h.1.inc"
  return used;
}

void example_files(void) {
#include "bert_files.h.1.inc"
}

void example_task_options(const bert_model* model) {
#include "bert_task_options.h.1.inc"
}

void example_tasks(const bert_model* model) {
#include "bert_tasks.h.1.inc"
}

void example_vectors(const float* vectors, size_t count, size_t size, const float* query) {
#include "bert_vectors.h.1.inc"
}
