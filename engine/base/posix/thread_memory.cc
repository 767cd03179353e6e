#include "engine/base/thread_memory.h"

#include <pthread.h>

#include <cstdlib>

namespace bert {

ThreadMemory::ThreadMemory(size_t bytes) : bytes_(bytes) {
  pthread_key_t key;
  if (pthread_key_create(&key, std::free) == 0) key_ = key;
}

void* ThreadMemory::of_this_thread() const noexcept {
  if (!key_) return nullptr;
  const auto key = static_cast<pthread_key_t>(*key_);
  if (void* const memory = pthread_getspecific(key)) return memory;
  void* const memory = std::calloc(1, bytes_);
  if (memory == nullptr || pthread_setspecific(key, memory) == 0) return memory;
  std::free(memory);
  return nullptr;
}

}  // namespace bert
