// Applies a head to the hidden states of every layer.
#include <algorithm>
#include <string>
#include <utility>

#include "bert/explain.h"
#include "models/encoder/finite.h"
#include "models/model/model_impl.h"

namespace bert {

std::vector<Logits> layer_logits(const Model& model, Head head, const TokenSequence& sequence,
                                 const LogitsOptions& options) {
  model.require(head);
  const Model::Impl& impl = ModelAccess::impl(model);
  const HeadSpec* spec = impl.encoder.plan.find(head);
  if (impl.modules_of(head) != nullptr || spec->input != HeadInput::kEachToken) {
    throw Error(ErrorCode::kInvalidArgument,
                "the head for " + std::string(name(head)) + " on every layer, expected one that reads each token");
  }
  const EncodedSequence encoded = std::move(model.encode({&sequence, 1}, {.hidden_states = true}).front());
  std::vector<size_t> rows;
  size_t row = 0;
  for (size_t i = 0; i < sequence.ids.size(); ++i) {
    if (!sequence.attention_mask.empty() && sequence.attention_mask[i] == 0) continue;
    if (!options.only_id || *options.only_id == sequence.ids[i]) rows.push_back(row);
    ++row;
  }
  std::vector<Logits> results(model.config().num_hidden_layers + 1);
  const size_t outputs = spec->layers.output.outs();
  const EncoderPlan& plan = impl.encoder.plan;
  const size_t tokens = std::max<size_t>(rows.size(), 1);
  Backend::Lease lease(impl.backend, workspace_shape(plan, tokens, tokens, tokens, impl.backend.threads()));
  for (size_t layer = 0; layer < results.size(); ++layer) {
    Matrix x(rows.size(), encoded.hidden), y(rows.size(), outputs);
    const float* states = encoded.hidden_states.data() + layer * encoded.tokens * encoded.hidden;
    for (size_t i = 0; i < rows.size(); ++i) {
      std::copy_n(states + rows[i] * encoded.hidden, encoded.hidden, x.view().row(i));
    }
    const bool is_last = layer + 1 == results.size();
    if (!rows.empty() && !is_last && plan.final_norm) {
      plan.final_norm->forward(x.view(), x.view(), lease.context());
    }
    if (!rows.empty()) spec->layers.forward(x.view(), y.view(), lease.context());
    const float* values = y.view().data;
    results[layer] = {.rows = rows.size(), .outputs = outputs, .values = {values, values + rows.size() * outputs}};
    if (all_finite(results[layer].values)) continue;
    throw Error(ErrorCode::kNonFinite, "a NaN or an infinity in the outputs of the head for " +
                                           std::string(name(head)) + " on layer " + std::to_string(layer) +
                                           ", expected finite numbers");
  }
  return results;
}

}  // namespace bert
