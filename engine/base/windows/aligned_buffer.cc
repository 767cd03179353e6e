#include "engine/base/aligned_buffer.h"

#include <malloc.h>

namespace bert {

// Windows gives huge pages only to accounts with a privilege, so none are asked for.
void* allocate_aligned(size_t bytes) {
  void* const memory = _aligned_malloc(round_up(bytes, kAlignment), kAlignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void free_aligned(void* memory) noexcept { _aligned_free(memory); }

}  // namespace bert
