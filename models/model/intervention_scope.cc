// InterventionScope: a model's passes, changed for a while.
#include <utility>

#include "models/encoder/interventions.h"
#include "models/model/model_impl.h"

namespace bert {

InterventionScope::InterventionScope(const Model& model, Interventions interventions)
    : impl_(&ModelAccess::impl(model)) {
  if (impl_->config.attention_layers() == 0) {
    throw Error(ErrorCode::kNotFound, impl_->model_named() + " has no layers to change");
  }
  check_interventions(interventions, impl_->config);
  if (impl_->interventions->set(std::make_shared<const Interventions>(std::move(interventions)))) return;
  throw Error(ErrorCode::kInvalidArgument,
              "a second intervention on " + impl_->model_named() + ", expected one at a time");
}

InterventionScope::~InterventionScope() { end(); }

InterventionScope::InterventionScope(InterventionScope&& other) noexcept : impl_(std::exchange(other.impl_, nullptr)) {}

void InterventionScope::end() {
  if (impl_ != nullptr) impl_->interventions->clear();
  impl_ = nullptr;
}

}  // namespace bert
