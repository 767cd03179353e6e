// A weight in the form that its product computes with: panels of transposed outputs (engine/kernels/isa/gemm.inl.h).
// The first product with the weight makes them; until they are whole, other passes read the weight as it is stored. The
// bits of a product are the same. Safe to use from many threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>

#include "engine/base/aligned_buffer.h"

namespace bert {

class PackedWeight {
 public:
  // mapped: the weight's bytes in a mapped file, whose pages this process lets go when the panels are whole; else
  // empty.
  explicit PackedWeight(std::span<const std::byte> mapped = {}) : mapped_(mapped) {}

  const float* panels() const { return whole_.load(std::memory_order_acquire); }  // null: not whole yet

  // For the first caller: room for the panels, which it fills before it calls finish(). Null for others, and without
  // memory.
  float* begin(size_t floats) noexcept;
  void finish() noexcept;

 private:
  std::span<const std::byte> mapped_;
  std::atomic<bool> is_begun_ = false;
  AlignedBuffer<float> buffer_;  // of the one that began
  std::atomic<const float*> whole_ = nullptr;
};

}  // namespace bert
