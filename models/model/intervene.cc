#include "bert/interventions.h"

#include <utility>

#include "models/encoder/interventions.h"
#include "models/model/model_impl.h"

namespace bert {

ForwardPass ModelAccess::forward_pass(const Model& model, std::span<const TokenSequence> sequences) {
  const Model::Impl& impl = *model.impl_;
  std::span<const Interventions> interventions;
  if (model.interventions_) interventions = *model.interventions_;
  return {impl.encoder.plan, impl.config, impl.backend, sequences, interventions};
}

Model ModelAccess::intervene(const Model& model, Interventions interventions) {
  std::vector<Interventions> all;
  if (model.interventions_) all = *model.interventions_;
  all.push_back(std::move(interventions));
  Model changed(model.impl_);
  changed.interventions_ = std::make_shared<const std::vector<Interventions>>(std::move(all));
  return changed;
}

Model intervene(const Model& model, Interventions interventions) {
  const Model::Impl& impl = ModelAccess::impl(model);
  if (impl.config.attention_layers() == 0) {
    throw Error(ErrorCode::kNotFound, impl.model_named() + " has no layers to change");
  }
  check_interventions(interventions, impl.config);
  return ModelAccess::intervene(model, std::move(interventions));
}

}  // namespace bert
