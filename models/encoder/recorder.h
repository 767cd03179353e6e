// Copies the observations of one forward pass to the caller's buffers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "bert/error.h"
#include "bert/model.h"
#include "models/encoder/contacts.h"
#include "models/encoder/encoder.h"

namespace bert {

class Recorder final : public ForwardObserver {
 public:
  // contacts: of the model, null if it has none; then the buffers ask for none.
  Recorder(const RaggedBatch& batch, const ModelConfig& config, const ContactRegression* contacts,
           std::span<const EncodeBuffers> buffers)
      : batch_(batch), heads_(config.num_attention_heads), buffers_(buffers) {
    contacts_.resize(buffers.size());
    for (size_t i = 0; i < buffers.size(); ++i) {
      if (buffers[i].contacts == nullptr) continue;
      contacts_[i].emplace(*contacts, batch.ids.subspan(batch.row_starts[i], batch.length(i)));
    }
    const bool has_attentions = std::any_of(buffers.begin(), buffers.end(),
                                            [](const EncodeBuffers& each) { return each.attentions != nullptr; });
    if (!has_attentions || !config.short_convolution) return;
    throw Error(ErrorCode::kUnsupported,
                "attention weights are not supported for a model of type " + config.model_type +
                    ", expected a request without them: some of its layers have a convolution in place of attention");
  }

  bool is_needed() const {
    return std::any_of(buffers_.begin(), buffers_.end(), [](const EncodeBuffers& buffers) {
      return buffers.hidden_states != nullptr || buffers.attentions != nullptr || buffers.contacts != nullptr;
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
      if (buffers_[i].attentions == nullptr && !contacts_[i]) continue;
      const size_t layer_floats = heads_ * batch_.length(i) * batch_.length(i);
      if (buffers_[i].attentions == nullptr) layer_.resize(layer_floats);
      float* to = buffers_[i].attentions == nullptr ? layer_.data() : buffers_[i].attentions + layer * layer_floats;
      attention.probabilities(batch_, i, to, context);
      if (contacts_[i]) contacts_[i]->add_layer({to, layer_floats});
    }
  }

  // Writes what is complete only after all layers.
  void finish() const {
    for (size_t i = 0; i < buffers_.size(); ++i) {
      if (contacts_[i]) contacts_[i]->compute(buffers_[i].contacts);
    }
  }

  static void copy_rows(ConstMatrixView from, float* to) {
    for (size_t row = 0; row < from.rows; ++row) std::copy_n(from.row(row), from.cols, to + row * from.cols);
  }

 private:
  const RaggedBatch& batch_;
  const size_t heads_;
  const std::span<const EncodeBuffers> buffers_;
  std::vector<std::optional<Contacts>> contacts_;  // of each sequence that asked
  std::vector<float> layer_;                       // attention weights of one layer that are only for contacts
};

}  // namespace bert
