/* A user's C program: close LIBRARY. It opens the shared library, embeds with two threads, and closes the library while
 * the model is still loaded. The threads and their thread-local memory outlive the handle. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct bert_model bert_model;
static int (*load)(const char*, const void*, bert_model**);
static int (*embed)(const bert_model*, const char*, size_t, const void*, float*, size_t);

static void* call(void* model) {
  float vector[4096];
  if (embed(model, "The quick brown fox", (size_t)-1, NULL, vector, 4096) != 0) exit(1);
  return NULL;
}

int main(int count, char** arguments) {
  void* library = count == 2 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  bert_model* model = NULL;
  pthread_t thread;
  if (library == NULL) return 1;
  *(void**)&load = dlsym(library, "bert_model_load");
  *(void**)&embed = dlsym(library, "bert_embed_text");
  if (load(NULL, NULL, &model) != 0 || pthread_create(&thread, NULL, call, model) != 0) return 1;
  pthread_join(thread, NULL);
  call(model);
  dlclose(library);
  usleep(100000);
  puts("closed, and still here");
  return 0;
}
