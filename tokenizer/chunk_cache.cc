#include "tokenizer/chunk_cache.h"

#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <optional>

namespace bert {
namespace {

// Of the threads' caches. A thread_local with a destructor would end the process where its registration finds no
// memory.
std::optional<pthread_key_t> make_key() {
  pthread_key_t key;
  if (pthread_key_create(&key, std::free) != 0) return std::nullopt;
  return key;
}

// Zeros of the system's; only the pages that are used take memory.
void* make_memory(pthread_key_t key) {
  void* const memory = std::calloc(1, sizeof(ChunkCache) + alignof(ChunkCache));
  if (memory == nullptr || pthread_setspecific(key, memory) == 0) return memory;
  std::free(memory);
  return nullptr;
}

}  // namespace

uint32_t ChunkCache::new_owner() {
  static std::atomic<uint32_t> last = 0;
  return ++last;
}

ChunkCache* ChunkCache::of_this_thread() noexcept {
  static const std::optional<pthread_key_t> key = make_key();
  if (!key) return nullptr;
  void* memory = pthread_getspecific(*key);
  if (memory == nullptr) memory = make_memory(*key);
  if (memory == nullptr) return nullptr;
  size_t room = sizeof(ChunkCache) + alignof(ChunkCache);
  return static_cast<ChunkCache*>(std::align(alignof(ChunkCache), sizeof(ChunkCache), memory, room));
}

}  // namespace bert
