#include "engine/kernels/gemm/packed_weight.h"

#include "engine/base/pages.h"

namespace bert {

float* PackedWeight::begin(size_t floats) noexcept {
  if (is_begun_.exchange(true)) return nullptr;
  try {
    buffer_ = AlignedBuffer<float>(floats);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  return buffer_.data();
}

void PackedWeight::finish() noexcept {
  whole_.store(buffer_.data(), std::memory_order_release);
  let_go(mapped_);
}

}  // namespace bert
