#include "engine/base/aligned_buffer.h"

#include <sys/mman.h>

#include <cstdlib>

namespace bert {

namespace {
constexpr size_t kHugePage = size_t{2} << 20;
}

void* allocate_aligned(size_t bytes) {
  const bool huge = bytes >= kHugePage;
  const size_t size = round_up(bytes, kAlignment);
  void* memory = nullptr;
  if (posix_memalign(&memory, huge ? kHugePage : kAlignment, size) != 0) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
  if (huge) madvise(memory, size / kHugePage * kHugePage, MADV_HUGEPAGE);  // a hint: the memory works without it
#endif
  return memory;
}

void free_aligned(void* memory) noexcept { std::free(memory); }

}  // namespace bert
