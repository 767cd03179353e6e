// The code that a worker runs in a module with shared memory: one thread, which threads.cc made.
#include <malloc.h>
#include <pthread.h>

#include <atomic>
#include <cstddef>

namespace bert_web {

namespace {
std::atomic<size_t> running{0};
}  // namespace

// Functions of the libraries (emscripten 3.1.6) and of the linker.
extern "C" void _emscripten_thread_init(pthread_t thread, int is_main, int is_runtime, int can_block, int profiles);
extern "C" void _emscripten_thread_exit(void* result);
extern "C" void __wasm_init_tls(void* memory);

// Runs on the thread's stack, which the worker has set.
extern "C" __attribute__((export_name("run_thread"))) void run_thread(pthread_t thread, void* (*routine)(void*),
                                                                      void* given) {
  _emscripten_thread_init(thread, 0, 0, 1, 0);
  void* const variables = memalign(__builtin_wasm_tls_align(), __builtin_wasm_tls_size());
  if (variables == nullptr) __builtin_trap();
  __wasm_init_tls(variables);
  ++running;
  void* const result = routine(given);
  --running;
  _emscripten_thread_exit(result);
}

extern "C" __attribute__((export_name("running_threads"))) size_t running_threads() { return running; }

}  // namespace bert_web
