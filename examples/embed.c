/* Embeds texts with the C interface and prints the similarity of each to the first:
 *   embed MODEL_DIRECTORY TEXT TEXT…      ("" is the built-in model) */
#include <stdio.h>
#include <stdlib.h>

#include "bert/bert.h"

int main(int count, char** arguments) {
  bert_model* model = NULL;
  float* vectors = NULL;
  int status = 1;
  if (count < 4) {
    fprintf(stderr, "usage: embed MODEL_DIRECTORY TEXT TEXT...\n");
    return 2;
  }
  if (bert_model_load(arguments[1][0] == '\0' ? NULL : arguments[1], NULL, &model) != BERT_OK) goto failed;

  size_t size;
  if (bert_embed_get_size(model, NULL, &size) != BERT_OK) goto failed;
  const int texts = count - 2;
  vectors = malloc((size_t)texts * size * sizeof *vectors);
  if (vectors == NULL) goto done;
  for (int i = 0; i < texts; ++i) {
    float* vector = vectors + (size_t)i * size;
    double cosine;
    if (bert_embed_text(model, arguments[i + 2], BERT_TO_NUL, NULL, vector, size) != BERT_OK) goto failed;
    if (bert_cosine_similarity(vectors, vector, size, &cosine) != BERT_OK) goto failed;
    printf("%.3f  %s\n", cosine, arguments[i + 2]);
  }
  status = 0;
  goto done;

failed:
  fprintf(stderr, "embed: %s\n", bert_error_message());
done:
  free(vectors);
  bert_model_free(model);
  return status;
}
