// A weight's panels: a transposed copy that products compute with faster (engine/kernels/isa/gemm.inl.h). A product
// makes the copy on first use, if that is permitted. Until it is published, products read the stored weight. Either way
// the result has the same bits. Any number of threads may use an object.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>

#include "engine/base/aligned_buffer.h"

namespace bert {

// Decides whether a product may make the panels of a weight. Several threads may ask at once.
class PanelsPermit {
 public:
  // Whether panels of this size may be made; if so, the caller makes them. Asked again by later products after a no.
  virtual bool grants(size_t bytes) noexcept = 0;

 protected:
  ~PanelsPermit() = default;
};

class PackedWeight {
 public:
  // Empty: the product that makes the panels publishes them in finish().
  PackedWeight() = default;
  // Empty: a product makes the panels if `permit` grants it; the owner of the weights calls publish(). permit must
  // outlive this. mapped: where the weight lies in a mapped file; publish() takes these pages out of the process. May
  // be empty.
  PackedWeight(PanelsPermit& permit, std::span<const std::byte> mapped) : permit_(&permit), mapped_(mapped) {}

  // With finished panels, for example of a mapped file; they must outlive this.
  explicit PackedWeight(const float* panels) : is_begun_(true), is_finished_(true), published_(panels) {}

  // The published panels; null: none yet, read the stored weight.
  const float* panels() const { return published_.load(std::memory_order_acquire); }

  // Claims the making of the panels. Returns memory for so many floats, which the caller fills before finish(). Returns
  // null if another product has claimed it, if the permit refuses (a later product may ask again), or if there is no
  // memory (then never again).
  float* begin(size_t floats) noexcept;
  // Marks the panels as filled. Publishes them if there is no permit. Call it once, after begin() gave memory.
  void finish() noexcept;
  // Whether the panels are filled but not published: the owner may call publish().
  bool is_ready() const { return is_finished_.load(std::memory_order_acquire) && panels() == nullptr; }
  // Lets products read the panels, and drops the pages of `mapped`. Requires that finish() was called. Returns false if
  // they were published before.
  bool publish() noexcept;

 private:
  PanelsPermit* permit_ = nullptr;
  std::span<const std::byte> mapped_;
  std::atomic<bool> is_begun_ = false, is_finished_ = false;
  AlignedBuffer<float> buffer_;  // the panels made here; written by the one product for which begin() succeeded
  std::atomic<const float*> published_ = nullptr;
};

}  // namespace bert
