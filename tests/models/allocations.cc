#include "tests/models/allocations.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {
std::atomic<size_t> count{0};
std::atomic<size_t> largest{SIZE_MAX};
}  // namespace

#if BERT_COUNTS_ALLOCATIONS
// memalign is an older function of the C library, which does the same.
extern "C" void* memalign(size_t alignment, size_t size) noexcept;
extern "C" int posix_memalign(void** memory, size_t alignment, size_t size) noexcept {
  ++count;
  *memory = size > largest ? nullptr : memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}

void* operator new(size_t size) {
  ++count;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
#endif

namespace bert::test {
size_t allocations() { return count; }
LargestAllocation::LargestAllocation(size_t bytes) { largest = bytes; }
LargestAllocation::~LargestAllocation() { largest = SIZE_MAX; }
}  // namespace bert::test
