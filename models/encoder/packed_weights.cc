#include "models/encoder/packed_weights.h"

#include <exception>

#include "bert/memory.h"
#include "engine/base/memory.h"

namespace bert {

size_t packed_bytes(const EncoderPlan& plan, const Gemm& gemm) {
  size_t floats = 0;
  for_each_layer_product(plan, [&](const Linear& linear) {
    for (const LinearPart& part : linear.parts) floats += gemm.packed_floats(part.weight);
  });
  return floats * sizeof(float);
}

PackedWeights::PackedWeights(EncoderPlan& plan, const Checkpoint& checkpoint, size_t bytes, Start start)
    : files_(checkpoint.mapped_files()),
      bytes_(bytes),
      process_(process_number()),
      may_begin_(start == Start::kFirstPass),
      is_decided_(start == Start::kFirstPass) {
  for_each_layer_product(plan, [&](Linear& linear) {
    for (LinearPart& part : linear.parts) {
      const WeightView& weight = part.weight;
      const size_t stored = weight.rows * weight.cols * element_bytes(weight.format);
      part.packed =
          &weights_.emplace_back(may_begin_, checkpoint.mapped({static_cast<const std::byte*>(weight.data), stored}));
    }
  });
  unpublished_ = weights_.size();
}

bool PackedWeights::has_memory() const noexcept {
  try {
    return bytes_ <= available_memory() / 2;
  } catch (const std::exception&) {  // without memory for the system's files
    return false;
  }
}

void PackedWeights::begin_pass(size_t rows) noexcept {
  if (unpublished_.load(std::memory_order_relaxed) == 0) return;
  if (may_begin_.load(std::memory_order_relaxed)) {
    // What a child made would be a copy of its own for each child.
    if (process_number() != process_) may_begin_.store(false, std::memory_order_relaxed);
    return;
  }
  if (rows > kFewRows || !has_ended_.load(std::memory_order_relaxed)) return;
  if (is_decided_.exchange(true)) return;
  if (process_number() == process_ && has_memory()) may_begin_.store(true, std::memory_order_relaxed);
}

void PackedWeights::end_pass() noexcept {
  has_ended_.store(true, std::memory_order_relaxed);
  if (unpublished_.load(std::memory_order_relaxed) == 0 || !may_begin_.load(std::memory_order_relaxed)) return;
  bool is_checked = false;
  for (PackedWeight& weight : weights_) {
    if (!weight.is_ready()) continue;
    try {
      if (!is_checked) {
        for (const MappedFile& file : files_) file.check_is_unchanged();
      }
      is_checked = true;
    } catch (const std::exception&) {  // the caller's next check_files() says so
      may_begin_.store(false, std::memory_order_relaxed);
      return;
    }
    if (weight.publish()) unpublished_.fetch_sub(1, std::memory_order_relaxed);
  }
}

}  // namespace bert
