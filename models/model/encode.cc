// Model::encode: hidden states, pooled outputs, attentions and contacts of a batch.
#include <algorithm>

#include "models/encoder/recorder.h"
#include "models/model/model_impl.h"

namespace bert {
namespace {

// Runs the pass and copies the requested outputs to the caller's buffers, one for each sequence.
void encode_to(const Model::Impl& model, ForwardPass& pass, std::span<const EncodeBuffers> buffers) {
  const std::optional<ContactRegression>& contacts = model.encoder.plan.contacts;
  Recorder recorder(pass.batch(), model.config, contacts ? &*contacts : nullptr, buffers);
  pass.run(recorder.is_needed() ? &recorder : nullptr);
  recorder.finish();
  Matrix pooled;
  if (model.has_pooler()) {
    pooled = Matrix(buffers.size(), model.config.hidden_size);
    pass.pool(pooled.view());
  }
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].last_hidden_state != nullptr) Recorder::copy_rows(pass.hidden(i), buffers[i].last_hidden_state);
    if (model.has_pooler() && buffers[i].pooler_output != nullptr) {
      std::copy_n(pooled.view().row(i), model.config.hidden_size, buffers[i].pooler_output);
    }
  }
}

}  // namespace

void Model::require_contacts() const {
  if (!impl_->encoder.plan.contacts) {
    throw Error(ErrorCode::kNotFound, impl_->model_named() + " has no head for contacts, as ESM has it");
  }
}

EncodeSizes Model::sizes(const TokenSequence& sequence) const {
  const ModelConfig& config = impl_->config;
  const std::span<const uint8_t> mask = sequence.attention_mask;
  const auto masked = static_cast<size_t>(std::count(mask.begin(), mask.end(), uint8_t{0}));
  const size_t tokens = sequence.ids.size() - std::min(masked, sequence.ids.size());
  EncodeSizes sizes;
  sizes.tokens = tokens;
  sizes.last_hidden_state = tokens * config.hidden_size;
  sizes.pooler_output = impl_->has_pooler() ? config.hidden_size : 0;
  sizes.hidden_states = (config.num_hidden_layers + 1) * tokens * config.hidden_size;
  sizes.attentions = config.attention_layers() * config.num_attention_heads;
  for (int side = 0; side < 2; ++side) {
    if (__builtin_mul_overflow(sizes.attentions, tokens, &sizes.attentions)) sizes.attentions = SIZE_MAX;
  }
  if (impl_->encoder.plan.contacts) sizes.contacts = residue_count(tokens) * residue_count(tokens);
  return sizes;
}

std::vector<EncodedSequence> Model::encode(std::span<const TokenSequence> sequences,
                                           const EncodeOptions& options) const {
  if (options.contacts) require_contacts();
  ForwardPass pass = ModelAccess::forward_pass(*this, sequences);  // checks the sequences first
  std::vector<EncodedSequence> results(sequences.size());
  std::vector<EncodeBuffers> buffers(sequences.size());
  for (size_t i = 0; i < sequences.size(); ++i) {
    const EncodeSizes needed = sizes(sequences[i]);
    EncodedSequence& result = results[i];
    const auto room = [](std::vector<float>& values, size_t size) {
      values.resize(size);
      return size == 0 ? nullptr : values.data();
    };
    result.tokens = needed.tokens;
    result.hidden = impl_->config.hidden_size;
    buffers[i].last_hidden_state = room(result.last_hidden_state, needed.last_hidden_state);
    buffers[i].pooler_output = room(result.pooler_output, needed.pooler_output);
    buffers[i].hidden_states = room(result.hidden_states, options.hidden_states ? needed.hidden_states : 0);
    buffers[i].attentions = room(result.attentions, options.attentions ? needed.attentions : 0);
    buffers[i].contacts = room(result.contacts, options.contacts ? needed.contacts : 0);
  }
  encode_to(*impl_, pass, buffers);
  return results;
}

void Model::encode(std::span<const TokenSequence> sequences, std::span<const EncodeBuffers> buffers) const {
  if (buffers.size() != sequences.size()) {
    throw Error(ErrorCode::kInvalidArgument, std::to_string(buffers.size()) + " buffers for " +
                                                 std::to_string(sequences.size()) +
                                                 " sequences, expected one for each");
  }
  for (const EncodeBuffers& of_sequence : buffers) {
    if (of_sequence.contacts != nullptr) require_contacts();
  }
  ForwardPass pass = ModelAccess::forward_pass(*this, sequences);
  encode_to(*impl_, pass, buffers);
}

}  // namespace bert
