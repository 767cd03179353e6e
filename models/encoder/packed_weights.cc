#include "models/encoder/packed_weights.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "bert/memory.h"
#include "engine/base/memory.h"

namespace bert {

size_t packed_bytes(const EncoderPlan& plan, const Gemm& gemm, const PanelFile* file) {
  size_t floats = 0, number = 0;
  for_each_layer_product(plan, [&](const Linear& linear) {
    for (const LinearPart& part : linear.parts) {
      if (file == nullptr || file->panels(number) == nullptr) floats += gemm.packed_floats(part.weight);
      ++number;
    }
  });
  return floats * sizeof(float);
}

PackedWeights::PackedWeights(EncoderPlan& plan, const Checkpoint& checkpoint, size_t bytes, Start start,
                             std::optional<PanelFile> file)
    : file_(std::move(file)),
      files_(checkpoint.mapped_files()),
      bytes_(bytes),
      process_(process_number()),
      may_begin_(start == Start::kFirstPass),
      is_decided_(start != Start::kRepeatedPass) {
  PanelsPermit& permit = *this;
  size_t number = 0;
  for_each_layer_product(plan, [&](Linear& linear) {
    for (LinearPart& part : linear.parts) {
      const WeightView& weight = part.weight;
      if (const float* panels = file_ ? file_->panels(number++) : nullptr) {
        part.packed = &weights_.emplace_back(panels);
        continue;
      }
      ++unpublished_;
      if (!weight.has_prepared_rows()) most_rows_ = kFewRows;
      const size_t stored = weight.rows * weight.cols * element_bytes(weight.format);
      part.packed =
          &weights_.emplace_back(permit, checkpoint.mapped({static_cast<const std::byte*>(weight.data), stored}));
    }
  });
}

void PackedWeights::check_file(ThreadPool& pool) {
  if (!file_ || is_checked_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(checking_);
  if (is_checked_.load(std::memory_order_relaxed)) return;
  file_->check_digests(pool);
  is_checked_.store(true, std::memory_order_release);
}

bool PackedWeights::has_memory() noexcept {
  try {
    const size_t half = available_memory() / 2;
    kept_free_.store(half, std::memory_order_relaxed);
    return bytes_ <= half;
  } catch (const std::exception&) {  // no memory for the system's files
    return false;
  }
}

bool PackedWeights::grants(size_t bytes) noexcept {
  if (!may_begin_.load(std::memory_order_relaxed)) return false;
  const size_t kept_free = kept_free_.load(std::memory_order_relaxed);
  bool has_room = true;
  try {
    if (kept_free > 0) has_room = available_memory() >= kept_free + bytes;
  } catch (const std::exception&) {
    has_room = false;
  }
  if (has_room) {
    granted_.fetch_add(bytes, std::memory_order_relaxed);
  } else {
    may_begin_.store(false, std::memory_order_relaxed);
  }
  return has_room;
}

void PackedWeights::begin_pass(size_t rows) noexcept {
  if (unpublished_.load(std::memory_order_relaxed) == 0) return;
  if (may_begin_.load(std::memory_order_relaxed)) {
    // Panels that a forked child makes would not be shared.
    if (process_number() != process_) {
      may_begin_.store(false, std::memory_order_relaxed);
      may_publish_.store(false, std::memory_order_relaxed);
    }
    return;
  }
  if (rows > most_rows_ || !has_ended_.load(std::memory_order_relaxed)) return;
  if (is_decided_.exchange(true)) return;
  if (process_number() == process_ && has_memory()) may_begin_.store(true, std::memory_order_relaxed);
}

void PackedWeights::end_pass() noexcept {
  has_ended_.store(true, std::memory_order_relaxed);
  if (unpublished_.load(std::memory_order_relaxed) == 0 || !may_publish_.load(std::memory_order_relaxed)) return;
  if (std::none_of(weights_.begin(), weights_.end(), [](const PackedWeight& weight) { return weight.is_ready(); })) {
    return;
  }
  try {
    for (const MappedFile& file : files_) file.check_is_unchanged();
  } catch (const std::exception&) {  // the caller's next check_files() reports it
    may_begin_.store(false, std::memory_order_relaxed);
    may_publish_.store(false, std::memory_order_relaxed);
    granted_.store(0, std::memory_order_relaxed);
    return;
  }
  for (PackedWeight& weight : weights_) {
    if (weight.is_ready() && weight.publish()) unpublished_.fetch_sub(1, std::memory_order_relaxed);
  }
}

}  // namespace bert
