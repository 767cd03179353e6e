// The parts of a Model, for the files that implement its calls. Immutable except the backend, which threads share.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bert/model.h"
#include "engine/checkpoint/weight_reader.h"
#include "models/encoder/backend.h"
#include "models/encoder/forward_pass.h"
#include "models/encoder/packed_weights.h"
#include "models/encoder/plan.h"
#include "models/labels/label_reader.h"
#include "models/sentence/late_interaction.h"
#include "models/sentence/lexical_weights.h"
#include "models/sentence/module_chain.h"
#include "models/text/text_settings.h"

namespace bert {

struct Model::Impl {
  // The encoder; or a static model's table, as a plan without layers.
  struct EncoderParts {
    WeightStorage weights;
    EncoderPlan plan;         // views of the weights
    std::vector<Head> heads;  // those of the plan
    std::string precision_reason;
    std::unique_ptr<PackedWeights> packed = {};            // of the plan's layers; null: they are never packed
    std::unique_ptr<const LabelReader> label_reader = {};  // of the same file; null: the model does not read labels

    // The format of the linear layers' weights, or of the table.
    WeightFormat format() const {
      return plan.layers.empty() ? plan.embeddings.word.format
                                 : plan.layers.front().attention.qkv.parts.front().weight.format;
    }
  };

  // What makes a text's vectors of the encoder's output.
  struct SentenceParts {
    ModuleChain modules;
    // For a late-interaction model: the modules of its tokens' vectors, and its rules for texts.
    std::optional<ModuleChain> token_modules = {};
    std::optional<LateInteraction> late = {};
    std::optional<LexicalWeights> lexical = {};  // BGE-M3's sparse vectors
    std::optional<ModuleChain> classifier = {};  // whose vectors are the logits of a sequence classification
  };

  std::optional<std::string> directory;  // nullopt: the built-in model
  std::string adapter;                   // as in ModelDescription
  ModelConfig config;
  TextSettings text;
  EncoderParts encoder;
  SentenceParts sentence;
  std::unique_ptr<const Model> label_encoder;  // of a model with one for labels, else null
  std::vector<std::string> notices;
  mutable Backend backend;  // threads and scratch memory; the model itself never changes

  // For messages: "the model in 'x'" or "the built-in model".
  std::string model_named() const;
  // Throws Error(kUnsupported) for a model with an adapter's directory: its merged weights are in memory alone.
  void require_no_adapter() const;
  // Those that make this head's logits; nullptr: the plan's head does.
  const ModuleChain* modules_of(Head head) const {
    return head == Head::kSequenceClassification && sentence.classifier ? &*sentence.classifier : nullptr;
  }
  const PanelFile* panels() const { return encoder.packed ? encoder.packed->file() : nullptr; }  // null: there is none
  bool has_pooler() const { return encoder.plan.pooler.has_value(); }
  size_t max_length() const { return text.limit.tokens.value(); }
};

// What an experiment puts in place of config.json's positions.
struct PositionReplacement {
  std::string type = {};                    // "": as there
  std::optional<bool> at_every_layer = {};  // nullopt: as there
};

// Access to a Model's implementation, for calls declared outside the class.
struct ModelAccess {
  static const Model::Impl& impl(const Model& model) { return *model.impl_; }
  static ForwardPass forward_pass(const Model& model, std::span<const TokenSequence> sequences);
  // Shares everything with the model; its passes have the model's interventions, then these.
  static Model intervene(const Model& model, Interventions interventions);
  static Model load(const std::string& name, const LoadOptions& options, const PositionReplacement& positions);
  static Model builtin(const LoadOptions& options, const PositionReplacement& positions);
  static Model of(std::shared_ptr<const Model::Impl> impl) { return Model(std::move(impl)); }
};

}  // namespace bert
