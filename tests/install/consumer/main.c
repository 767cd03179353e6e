/* A user's C program: main MODEL_DIRECTORY EXPECTED. It tokenizes the text of EXPECTED (written by expected.py),
 * encodes it, and compares ids, token representations and pooled output with the reference's. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bert/bert.h>

static void need(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "%s: %s\n", what, bert_error_message());
  exit(1);
}

static double worst_error(const float* got, size_t count, FILE* expected) {
  double worst = 0;
  size_t i;
  for (i = 0; i < count; ++i) {
    double value;
    need(fscanf(expected, "%lf", &value) == 1, "EXPECTED has a number");
    if (!(fabs(got[i] - value) <= worst)) worst = fabs(got[i] - value);
  }
  return worst;
}

int main(int count, char** arguments) {
  FILE* expected = count == 3 ? fopen(arguments[2], "r") : NULL;
  char text[4096];
  size_t size, hidden, i;
  double tolerance, worst_hidden, worst_pooled;
  bert_model* model = NULL;
  bert_tokens tokens = BERT_TOKENS_INIT;
  bert_sequence sequence = {NULL, NULL, NULL, 0};
  bert_encode_sizes sizes = BERT_ENCODE_SIZES_INIT;
  bert_encode_buffers buffers;
  float *last_hidden_state, *pooler_output;

  need(expected != NULL && fgets(text, sizeof text, expected) != NULL, "EXPECTED begins with a text");
  text[strcspn(text, "\n")] = '\0';
  need(fscanf(expected, "%zu %zu %lf", &size, &hidden, &tolerance) == 3, "EXPECTED goes on with its sizes");
  need(bert_model_load(arguments[1], NULL, &model) == BERT_OK, "load");

  need(bert_tokenize(bert_model_tokenizer(model), text, BERT_TO_NUL, NULL, 0, NULL, &tokens) == BERT_BUFFER_TOO_SMALL,
       "ask for the number of tokens");
  need(tokens.size == size, "as many tokens as expected");
  tokens.capacity = tokens.size;
  tokens.ids = malloc(tokens.size * sizeof *tokens.ids);
  need(tokens.ids != NULL, "memory");
  need(bert_tokenize(bert_model_tokenizer(model), text, BERT_TO_NUL, NULL, 0, NULL, &tokens) == BERT_OK, "tokenize");
  for (i = 0; i < size; ++i) {
    int id;
    need(fscanf(expected, "%d", &id) == 1 && id == tokens.ids[i], "the expected ids");
  }

  sequence.ids = tokens.ids;
  sequence.size = tokens.size;
  need(bert_encode_get_sizes(model, &sequence, &sizes) == BERT_OK, "sizes");
  need(sizes.rows == size && sizes.pooler_output == hidden, "the expected sizes");
  last_hidden_state = malloc(sizes.last_hidden_state * sizeof(float));
  pooler_output = malloc(sizes.pooler_output * sizeof(float));
  need(last_hidden_state != NULL && pooler_output != NULL, "memory");
  memset(&buffers, 0, sizeof buffers);
  buffers.last_hidden_state.data = last_hidden_state;
  buffers.last_hidden_state.capacity = sizes.last_hidden_state;
  buffers.pooler_output.data = pooler_output;
  buffers.pooler_output.capacity = sizes.pooler_output;
  need(bert_encode(model, &sequence, 1, &buffers) == BERT_OK, "encode");

  worst_hidden = worst_error(last_hidden_state, sizes.last_hidden_state, expected);
  worst_pooled = worst_error(pooler_output, sizes.pooler_output, expected);
  printf("%zu tokens, largest error %.2e, of the pooled output %.2e, at most %.2e\n", size, worst_hidden, worst_pooled,
         tolerance);
  free(last_hidden_state);
  free(pooler_output);
  free(tokens.ids);
  bert_model_free(model);
  fclose(expected);
  return worst_hidden <= tolerance && worst_pooled <= tolerance ? 0 : 1;
}
