// The panels of an encoder's layers (engine/kernels/gemm/packed_weight.h): whether a file has them, when they are made,
// and when products read them. Safe to use from many threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <span>

#include "engine/checkpoint/checkpoint.h"
#include "engine/kernels/gemm/packed_weight.h"
#include "engine/kernels/kernels.h"
#include "models/encoder/panel_file.h"
#include "models/encoder/plan.h"

namespace bert {

// Returns the bytes of all panels that `file`, if given, does not have; 0 if the backend makes none.
size_t packed_bytes(const EncoderPlan& plan, const Gemm& gemm, const PanelFile* file = nullptr);

class PackedWeights final : private PanelsPermit {
 public:
  // Panels of float32 products are worth their memory for passes of at most this many rows: passes with more rows spend
  // less of their time on transposing. Panels of 8-bit weights and of bfloat16 arithmetic are worth it for every pass:
  // they need no more memory than the weights, and rounding takes time.
  static constexpr size_t kFewRows = 128;

  enum class Start {
    kNever,
    kFirstPass,
    // In the first pass that is worth it and begins after another pass has ended, if `bytes` is at most half of the
    // free memory. The other half stays free: if other processes take more of it meanwhile, the remaining weights are
    // read as they are stored.
    kRepeatedPass,
  };

  // Gives each weight of the plan's layers a place for its panels. plan and checkpoint may be moved, but their contents
  // must outlive this object. When panels are published, weights in the checkpoint's mapped files are removed from this
  // process's memory. A process forked from this one makes no panels. file: has the panels of some or all weights,
  // which need none of `bytes`.
  PackedWeights(EncoderPlan& plan, const Checkpoint& checkpoint, size_t bytes, Start start,
                std::optional<PanelFile> file);
  PackedWeights(const PackedWeights&) = delete;
  PackedWeights& operator=(const PackedWeights&) = delete;

  // Returns the bytes of the panels that are made, or that the next pass makes; 0 until that is decided, or if it was
  // refused.
  size_t bytes() const {
    return may_begin_.load(std::memory_order_relaxed) ? bytes_ : granted_.load(std::memory_order_relaxed);
  }

  // The file whose panels products read; null: no file.
  const PanelFile* file() const { return file_ ? &*file_ : nullptr; }

  // Checks the digests of the file's panels, if there is a file: once, before the first pass. Throws
  // Error(kInvalidFile) if one differs.
  void check_file(ThreadPool& pool);

  // Returns whether products read the panels of all weights.
  bool all_are_published() const { return unpublished_.load(std::memory_order_relaxed) == 0; }

  // One pass. At its end finished panels are published, unless a file of the weights was written to meanwhile.
  class Pass {
   public:
    // weights: null: do nothing.
    Pass(PackedWeights* weights, size_t rows) noexcept : weights_(weights) {
      if (weights_ != nullptr) weights_->begin_pass(rows);
    }
    ~Pass() {
      if (weights_ != nullptr) weights_->end_pass();
    }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

   private:
    PackedWeights* weights_;
  };

 private:
  void begin_pass(size_t rows) noexcept;
  void end_pass() noexcept;
  bool has_memory() noexcept;  // whether all panels fit into half of the free memory
  bool grants(size_t bytes) noexcept override;

  const std::optional<PanelFile> file_;
  std::mutex checking_;
  std::atomic<bool> is_checked_ = false;
  const std::span<const MappedFile> files_;
  const size_t bytes_;
  const int64_t process_;        // the process that loaded the model
  size_t most_rows_ = SIZE_MAX;  // of passes that are worth the panels
  std::atomic<bool> may_begin_, is_decided_;
  std::atomic<bool> may_publish_ = true;
  std::atomic<bool> has_ended_ = false;    // a pass has ended
  std::atomic<size_t> kept_free_ = 0;      // bytes of memory to keep free; 0: no limit
  std::atomic<size_t> granted_ = 0;        // bytes
  std::atomic<size_t> unpublished_ = 0;    // number of weights
  std::deque<PackedWeight> weights_ = {};  // for the plan's layers
};

}  // namespace bert
