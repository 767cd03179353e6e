#include "engine/kernels/gemm/packed_weight.h"

#include "engine/base/pages.h"

namespace bert {

float* PackedWeight::begin(size_t floats) noexcept {
  if (is_begun_.load(std::memory_order_relaxed)) return nullptr;
  if (is_begun_.exchange(true)) return nullptr;
  if (permit_ != nullptr && !permit_->grants(floats * sizeof(float))) {
    is_begun_.store(false, std::memory_order_relaxed);  // the permit may grant it later
    return nullptr;
  }
  try {
    buffer_ = AlignedBuffer<float>(floats);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  return buffer_.data();
}

void PackedWeight::finish() noexcept {
  is_finished_.store(true, std::memory_order_release);
  if (permit_ == nullptr) publish();
}

bool PackedWeight::publish() noexcept {
  const float* expected = nullptr;
  if (!published_.compare_exchange_strong(expected, buffer_.data(), std::memory_order_acq_rel)) return false;
  let_go(mapped_);
  return true;
}

}  // namespace bert
