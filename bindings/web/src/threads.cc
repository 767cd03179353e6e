// The system functions for threads that the C and C++ libraries need. A page cannot start a thread while a function
// runs, so it offers threads before. An offered thread is a worker that has an instance of the module on the same
// memory and waits to run one thread. A module without offered threads, such as one without shared memory, creates
// none.
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace bert_web {

namespace {

using Routine = void* (*)(void*);

std::atomic<size_t> offered{0}, taken{0};
std::atomic<bool> has_ended{false};  // a worker ended by a trap

// Functions of the libraries (emscripten 3.1.6).
extern "C" int emscripten_builtin_pthread_create(pthread_t* to, const pthread_attr_t* attributes, Routine, void* given);
extern "C" void _emscripten_thread_init(pthread_t thread, int is_main, int is_runtime, int can_block, int profiles);
extern "C" void _emscripten_thread_free_data(pthread_t thread);

// Makes a waiting worker call run_thread with this stack.
extern "C" __attribute__((import_module("page"), import_name("start_thread"))) void page_start_thread(pthread_t thread,
                                                                                                      Routine routine,
                                                                                                      void* given,
                                                                                                      void* stack);

int32_t* address_of(std::atomic<int32_t>& value) { return reinterpret_cast<int32_t*>(&value); }

}  // namespace

// ---- Functions that the page calls ----

extern "C" __attribute__((export_name("offer_threads"))) void offer_threads(size_t count) { offered += count; }

// Called when the worker's thread trapped; threads that wait for its results trap too.
extern "C" __attribute__((export_name("end_thread"))) void end_thread() { has_ended = true; }

// ---- Functions that the C library calls ----

extern "C" {

int pthread_create(pthread_t* to, const pthread_attr_t* attributes, Routine routine, void* given) {
  size_t before = taken;
  do {
    if (before == offered) return EAGAIN;
  } while (!taken.compare_exchange_weak(before, before + 1));
  return emscripten_builtin_pthread_create(to, attributes, routine, given);
}
int __pthread_create_js(pthread_t thread, const pthread_attr_t*, Routine routine, void* given) {
  pthread_attr_t attributes;
  void* stack = nullptr;
  size_t bytes = 0;
  pthread_getattr_np(thread, &attributes);
  pthread_attr_getstack(&attributes, &stack, &bytes);
  page_start_thread(thread, routine, given, static_cast<char*>(stack) + bytes);
  return 0;
}
size_t _emscripten_default_pthread_stack_size() { return 1048576; }  // the module's own stack has the same size
void __emscripten_thread_cleanup(pthread_t thread) { _emscripten_thread_free_data(thread); }
// Registers the thread, but not as emscripten's main thread, which would also run calls from other threads.
void __emscripten_init_main_thread_js(pthread_t thread) { _emscripten_thread_init(thread, 0, 0, 1, 0); }
void emscripten_check_blocking_allowed() {}
[[noreturn]] void emscripten_unwind_to_js_event_loop() { __builtin_trap(); }
void exit(int) { __builtin_trap(); }
int emscripten_num_logical_cores() { return static_cast<int>(1 + offered); }
int __clock_gettime(clockid_t clock, struct timespec* to) { return clock_gettime(clock, to); }

// Called in loops that wait for another thread; traps if a worker has ended.
int sched_yield() {
  if (has_ended) __builtin_trap();
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return 0;
}

}  // extern "C"

}  // namespace bert_web

// ---- Functions that std::atomic's wait and notify call; the C++ library's own functions would poll. ----

_LIBCPP_BEGIN_NAMESPACE_STD

namespace {
atomic<int32_t> changes{0}, waiting{0};
}  // namespace

void __cxx_atomic_notify_all(const volatile void*) {
  ++changes;
  if (waiting != 0) __builtin_wasm_memory_atomic_notify(bert_web::address_of(changes), UINT32_MAX);
}
__cxx_contention_t __libcpp_atomic_monitor(const volatile void*) { return changes; }
void __libcpp_atomic_wait(const volatile void*, __cxx_contention_t seen) {
  ++waiting;
  __builtin_wasm_memory_atomic_wait32(bert_web::address_of(changes), static_cast<int32_t>(seen), -1);
  --waiting;
}

_LIBCPP_END_NAMESPACE_STD
