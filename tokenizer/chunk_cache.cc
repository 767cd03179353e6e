#include "tokenizer/chunk_cache.h"

#include <atomic>
#include <cstdlib>
#include <memory>

namespace bert {
namespace {

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

// The system gives zeros, and only the pages that are used.
class CachePlace {
 public:
  CachePlace() : memory_(std::calloc(1, sizeof(ChunkCache) + alignof(ChunkCache))) {
    void* at = memory_.get();
    size_t room = sizeof(ChunkCache) + alignof(ChunkCache);
    if (at != nullptr) cache_ = static_cast<ChunkCache*>(std::align(alignof(ChunkCache), sizeof(ChunkCache), at, room));
  }
  ChunkCache* cache() const { return cache_; }

 private:
  std::unique_ptr<void, Free> memory_;
  ChunkCache* cache_ = nullptr;
};

}  // namespace

uint32_t ChunkCache::new_owner() {
  static std::atomic<uint32_t> last = 0;
  return ++last;
}

ChunkCache* ChunkCache::of_this_thread() noexcept {
  thread_local const CachePlace place;
  return place.cache();
}

}  // namespace bert
