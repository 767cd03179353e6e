// The parts of a Model, for the files that implement its calls. Immutable except the backend, which threads share.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bert/model.h"
#include "models/encoder/backend.h"
#include "models/encoder/forward_pass.h"
#include "models/model/model_parts.h"
#include "models/text/text_settings.h"

namespace bert {

struct Model::Impl {
  std::optional<std::string> directory;  // nullopt: the built-in model
  std::string adapter;                   // as in ModelDescription
  ModelConfig config;
  TextSettings text;
  EncoderParts encoder;
  SentenceParts sentence;
  std::unique_ptr<const Model> second_encoder;  // of an extension with its own encoder, else null
  std::vector<std::string> notices;
  mutable Backend backend;  // threads and scratch memory; the model itself never changes

  // Returns a name for messages: "the model in 'x'" or "the built-in model".
  std::string model_named() const;
  // Throws Error(kUnsupported) for a model with an adapter's directory, because its merged weights exist only in
  // memory.
  void require_no_adapter() const;
  // Returns the modules that make this head's logits; nullptr: the plan's head does.
  const ModuleChain* modules_of(Head head) const {
    return head == Head::kSequenceClassification && sentence.classifier ? &*sentence.classifier : nullptr;
  }
  const PanelFile* panels() const { return encoder.packed ? encoder.packed->file() : nullptr; }  // null: there is none
  bool has_pooler() const { return encoder.plan.pooler.has_value(); }
  size_t max_length() const { return text.limit.tokens.value(); }
};

// Access to a Model's implementation, for calls declared outside the class.
struct ModelAccess {
  static const Model::Impl& impl(const Model& model) { return *model.impl_; }
  static ForwardPass forward_pass(const Model& model, std::span<const TokenSequence> sequences);
  // Returns a model that shares everything with `model`; its passes have the model's interventions, then these.
  static Model intervene(const Model& model, Interventions interventions);
  static Model of(std::shared_ptr<const Model::Impl> impl) { return Model(std::move(impl)); }
};

}  // namespace bert
