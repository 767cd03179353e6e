// A weight in the form that its product computes with: panels of transposed outputs (engine/kernels/isa/gemm.inl.h).
// The first product with the weight makes them, where it may; until they are published, products read the weight as it
// is stored. The bits of a product are the same. Safe to use from many threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>

#include "engine/base/aligned_buffer.h"

namespace bert {

// Whether a product may make a weight's panels, of so many bytes. Asked by each product with a weight that has none.
class PanelsPermit {
 public:
  virtual bool grants(size_t bytes) noexcept = 0;

 protected:
  ~PanelsPermit() = default;
};

class PackedWeight {
 public:
  // Panels that the product which makes them publishes.
  PackedWeight() = default;
  // Panels that the owner of all weights publishes. permit must outlive this. mapped: the weight's bytes in a mapped
  // file, whose pages this process lets go when the panels are published.
  PackedWeight(PanelsPermit& permit, std::span<const std::byte> mapped) : permit_(&permit), mapped_(mapped) {}

  // Panels that a file has, which outlives this.
  explicit PackedWeight(const float* panels) : is_begun_(true), is_finished_(true), published_(panels) {}

  const float* panels() const { return published_.load(std::memory_order_acquire); }  // null: not published

  // For the first caller: room for the panels, which it fills before it calls finish(). Null for others, where panels
  // may not be made, and without memory.
  float* begin(size_t floats) noexcept;
  void finish() noexcept;
  // Whether the panels are finished and not published.
  bool is_ready() const { return is_finished_.load(std::memory_order_acquire) && panels() == nullptr; }
  // Lets products read the panels, once is_ready(). True for the call that did it.
  bool publish() noexcept;

 private:
  PanelsPermit* permit_ = nullptr;
  std::span<const std::byte> mapped_;
  std::atomic<bool> is_begun_ = false, is_finished_ = false;
  AlignedBuffer<float> buffer_;  // of the one that began
  std::atomic<const float*> published_ = nullptr;
};

}  // namespace bert
