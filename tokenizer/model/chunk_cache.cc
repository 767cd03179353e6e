#include "tokenizer/model/chunk_cache.h"

#include <atomic>
#include <memory>

#include "engine/base/thread_memory.h"

namespace bert {

uint32_t ChunkCache::new_owner() {
  static std::atomic<uint32_t> last = 0;
  return ++last;
}

ChunkCache* ChunkCache::of_this_thread() noexcept {
  size_t room = sizeof(ChunkCache) + alignof(ChunkCache);
  static const ThreadMemory memories(room);
  void* memory = memories.of_this_thread();
  if (memory == nullptr) return nullptr;
  return static_cast<ChunkCache*>(std::align(alignof(ChunkCache), sizeof(ChunkCache), memory, room));
}

}  // namespace bert
