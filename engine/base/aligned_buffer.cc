#include "engine/base/aligned_buffer.h"

#include <sys/mman.h>

namespace bert {

namespace {
constexpr size_t kHugePage = size_t{2} << 20;
}

void* allocate_aligned(size_t bytes) {
  const bool huge = bytes >= kHugePage;
  const size_t size = round_up(bytes, kAlignment);
  void* memory = std::aligned_alloc(huge ? kHugePage : kAlignment, size);
  if (memory == nullptr) throw std::bad_alloc();
  if (huge) madvise(memory, size / kHugePage * kHugePage, MADV_HUGEPAGE);  // a wish: without it the memory is as good
  return memory;
}

}  // namespace bert
