// Copies the observations of one forward pass to the caller's buffers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "bert/error.h"
#include "bert/model.h"
#include "models/encoder/encoder.h"

namespace bert {

class Recorder final : public ForwardObserver {
 public:
  Recorder(const RaggedBatch& batch, const ModelConfig& config, std::span<const EncodeBuffers> buffers)
      : batch_(batch), heads_(config.num_attention_heads), buffers_(buffers) {
    const bool has_attentions = std::any_of(buffers.begin(), buffers.end(),
                                            [](const EncodeBuffers& each) { return each.attentions != nullptr; });
    if (!has_attentions || !config.short_convolution) return;
    throw Error(ErrorCode::kUnsupported,
                "attention weights are not supported for a model of type " + config.model_type +
                    ", expected a request without them: some of its layers have a convolution in place of attention");
  }

  bool is_needed() const {
    return std::any_of(buffers_.begin(), buffers_.end(), [](const EncodeBuffers& buffers) {
      return buffers.hidden_states != nullptr || buffers.attentions != nullptr;
    });
  }

  void hidden_state(size_t index, MatrixView hidden) override {
    for (size_t i = 0; i < buffers_.size(); ++i) {
      if (buffers_[i].hidden_states == nullptr) continue;
      const size_t tokens = batch_.length(i);
      float* to = buffers_[i].hidden_states + index * tokens * hidden.cols;
      copy_rows(hidden.row_range(batch_.row_starts[i], tokens), to);
    }
  }

  void attention(size_t layer, const SelfAttention& attention, ExecutionContext& context) override {
    for (size_t i = 0; i < buffers_.size(); ++i) {
      if (buffers_[i].attentions == nullptr) continue;
      const size_t layer_floats = heads_ * batch_.length(i) * batch_.length(i);
      attention.probabilities(batch_, i, buffers_[i].attentions + layer * layer_floats, context);
    }
  }

  static void copy_rows(ConstMatrixView from, float* to) {
    for (size_t row = 0; row < from.rows; ++row) std::copy_n(from.row(row), from.cols, to + row * from.cols);
  }

 private:
  const RaggedBatch& batch_;
  const size_t heads_;
  const std::span<const EncodeBuffers> buffers_;
};

}  // namespace bert
