// A weight's panels: a transposed copy with which products are faster (engine/kernels/isa/gemm.inl.h). A product makes
// the copy on first use, if that is permitted. Until the panels are published, products read the stored weight. The
// result has the same bits either way. Any number of threads may use an object.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>

#include "engine/base/aligned_buffer.h"

namespace bert {

// Decides whether a product may make the panels of a weight. Several threads may ask at once.
class PanelsPermit {
 public:
  // Returns whether panels of this size may be made; the caller then makes them. After false, later products ask again.
  virtual bool grants(size_t bytes) noexcept = 0;

 protected:
  ~PanelsPermit() = default;
};

class PackedWeight {
 public:
  // No panels yet; the product that makes them publishes them in finish().
  PackedWeight() = default;
  // No panels yet; a product makes them if `permit` grants it, and the owner of the weights calls publish(). permit
  // must outlive this object. mapped: the weight's bytes in a mapped file, which publish() removes from the process's
  // memory; may be empty.
  PackedWeight(PanelsPermit& permit, std::span<const std::byte> mapped) : permit_(&permit), mapped_(mapped) {}

  // Uses finished panels, for example of a mapped file; they must outlive this object.
  explicit PackedWeight(const float* panels) : is_begun_(true), is_finished_(true), published_(panels) {}

  // The published panels; null: there are none yet, read the stored weight.
  const float* panels() const { return published_.load(std::memory_order_acquire); }

  // Claims the making of the panels. Returns memory for this many floats, which the caller fills before finish().
  // Returns null if another product has claimed it, if the permit refuses (a later product may ask again), or if there
  // is no memory (then the weight is never packed).
  float* begin(size_t floats) noexcept;
  // Marks the panels as filled; publishes them if there is no permit. Call it once, after begin() returned memory.
  void finish() noexcept;
  // Returns whether the panels are filled but not published, so that the owner may call publish().
  bool is_ready() const { return is_finished_.load(std::memory_order_acquire) && panels() == nullptr; }
  // Lets products read the panels, and drops the pages of `mapped`. Requires finish(). Returns false if they were
  // already published.
  bool publish() noexcept;

 private:
  PanelsPermit* permit_ = nullptr;
  std::span<const std::byte> mapped_;
  std::atomic<bool> is_begun_ = false, is_finished_ = false;
  AlignedBuffer<float> buffer_;  // the panels made here; written by the one product for which begin() succeeded
  std::atomic<const float*> published_ = nullptr;
};

}  // namespace bert
