// The facade: finds a model's files and combines tokenizer, plan and backend.
#include "bert/model.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "engine/base/floating_point.h"
#include "engine/base/natural_order.h"
#include "engine/base/quote.h"
#include "models/encoder/distance_tables.h"
#include "models/model/model_impl.h"
#include "models/model/model_sources.h"

namespace bert {

std::string Model::Impl::model_named() const {
  return directory ? "the model in " + quote_path(*directory) : "the built-in model";
}

void Model::Impl::require_no_adapter() const {
  if (adapter.empty()) return;
  throw Error(ErrorCode::kUnsupported, model_named() + " has the adapter (LoRA) in " + quote_path(adapter) +
                                           ", whose merged weights are in memory alone: expected a model without one");
}

Model::Model(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

namespace {

// Returns ModelDescription::arithmetic. Version 2 of 8-bit layers computes GELU from pieces (docs/NUMERICS.md).
int arithmetic_of(const WeightView& weight) {
  constexpr int kOfFloats = 1, kOf8Bits = 2, kOfBFloat16 = 3;
  if (weight.arithmetic == ProductArithmetic::kBFloat16) return kOfBFloat16;
  return is_8_bit(weight.format) ? kOf8Bits : kOfFloats;
}

// Adds in which type 16-bit numbers are computed, if their precision does not say it.
std::string precision_reason(const EncoderParts& encoder) {
  const WeightView& weight = encoder.weight();
  const bool is_widened = element_bytes(weight.format) == 2 && weight.arithmetic == ProductArithmetic::kOfFormat;
  return encoder.precision_reason + (is_widened ? "; computed in float32" : "");
}

// Returns the messages for the user, in the order of reading.
std::vector<std::string> collect_notices(const ModelSources& sources, const EncoderParts& encoder,
                                         const SentenceParts& sentence, const Backend& backend,
                                         const LoadOptions& options) {
  std::vector<std::string> notices = sources.text.notices;
  const auto add = [&](const std::vector<std::string>& more) {
    notices.insert(notices.end(), more.begin(), more.end());
  };
  add(encoder.weights.notices);
  add(sentence.modules.notices());
  if (!options.runtime && backend.threads() < backend.wanted_threads()) {
    notices.push_back("created " + std::to_string(backend.threads()) + " of " +
                      std::to_string(backend.wanted_threads()) + " threads");
  }
  if (!sources.experiment.empty()) notices.push_back(sources.experiment);
  if (sentence.token_modules) add(sentence.token_modules->notices());
  if (sentence.late) add(sentence.late->notices());
  return notices;
}

// An extension's encoder gets one thread: it reads little text, and only once (labels).
std::unique_ptr<const Model> read_second_encoder(ModelSources& sources, LoadOptions options);

EncoderParts read_encoder_or_table(ModelSources& sources, const LoadOptions& options) {
  if (auto* table = std::get_if<StaticTable>(&sources.weights)) return table_alone(std::move(*table));
  auto& checkpoint = std::get<Checkpoint>(sources.weights);
  const std::vector<std::string_view> of_modules = measure_token_modules(sources.text.sentence, checkpoint);
  return read_encoder(sources, std::move(checkpoint), options, of_modules);
}

std::unique_ptr<const Model::Impl> read_model(ModelSources sources, const LoadOptions& options) {
  EncoderParts encoder = read_encoder_or_table(sources, options);
  Backend backend(options, encoder.weight());
  compute_distance_tables(encoder.plan, backend);
  pack_weights(encoder, backend.gemm(), options, sources.directory.has_value());
  SentenceParts sentence = read_sentence_parts(sources, module_options(options));
  std::vector<Head>& heads = encoder.heads;
  constexpr Head kClassification = Head::kSequenceClassification;
  if (sentence.classifier && std::find(heads.begin(), heads.end(), kClassification) == heads.end()) {
    heads.push_back(kClassification);
  }
  std::vector<std::string> notices = collect_notices(sources, encoder, sentence, backend, options);
  std::unique_ptr<const Model> second_encoder = read_second_encoder(sources, options);
  return std::unique_ptr<const Model::Impl>(
      new Model::Impl{.directory = std::move(sources.directory),
                      .adapter = sources.adapter ? sources.adapter->directory : "",
                      .config = std::move(sources.config),
                      .text = std::move(sources.text),
                      .encoder = std::move(encoder),
                      .sentence = std::move(sentence),
                      .second_encoder = std::move(second_encoder),
                      .notices = std::move(notices),
                      .backend = std::move(backend)});
}

std::unique_ptr<const Model> read_second_encoder(ModelSources& sources, LoadOptions options) {
  if (sources.second_encoder == nullptr) return nullptr;
  options.layers.reset();
  options.packing = Packing::kNever;
  if (!options.runtime) options.threads = 1;
  return std::make_unique<const Model>(ModelAccess::of(read_model(std::move(*sources.second_encoder), options)));
}

}  // namespace

Model Model::load(const std::string& name, const LoadOptions& options) {
  const DefaultFloatingPoint mode;
  return Model(read_model(find_sources(find_model(name, options.revision), options), options));
}

Model Model::builtin(const LoadOptions& options) {
  const DefaultFloatingPoint mode;
  return Model(read_model(builtin_sources(options), options));
}

const ModelConfig& Model::config() const { return impl_->config; }
bool Model::has_tokenizer() const { return std::holds_alternative<Tokenizer>(impl_->text.tokenizer); }
const Tokenizer& Model::tokenizer() const {
  if (const auto* why = std::get_if<Error>(&impl_->text.tokenizer)) throw *why;
  return std::get<Tokenizer>(impl_->text.tokenizer);
}
bool Model::has_pooler() const { return impl_->has_pooler(); }
const std::vector<Head>& Model::heads() const { return impl_->encoder.heads; }
size_t Model::threads() const { return impl_->backend.threads(); }
size_t Model::max_length() const { return impl_->max_length(); }

void check_max_length(size_t max_length, size_t max_positions) {
  if (max_length <= max_positions) return;
  throw Error(ErrorCode::kInvalidArgument, "max_length " + std::to_string(max_length) + ", expected at most " +
                                               std::to_string(max_positions) + ", the model's positions");
}
size_t Model::max_positions() const { return most_positions(impl_->config); }
const std::vector<std::string>& Model::notices() const { return impl_->notices; }

void Model::check_files() const {
  impl_->encoder.weights.checkpoint.check_files();
  if (const PanelFile* panels = impl_->panels()) panels->file().check_is_unchanged();
}

ModelDescription Model::describe() const {
  ModelDescription description;
  description.source = impl_->directory.value_or("built-in");
  description.is_builtin = !impl_->directory;
  const Checkpoint& checkpoint = impl_->encoder.weights.checkpoint;
  description.files = checkpoint.files();
  for (size_t i = 0; i < checkpoint.tensors().size(); ++i) {
    const StoredTensor& tensor = checkpoint.tensors()[i];
    const WeightRole role = impl_->encoder.weights.roles[i];
    description.tensors.push_back({.name = std::string(tensor.name),
                                   .dtype = std::string(tensor.type->name),
                                   .shape = {tensor.shape.begin(), tensor.shape.end()},
                                   .bytes = tensor.data.size(),
                                   .used = role != WeightRole::kUnused && role != WeightRole::kHead});
  }
  to_natural_order(description.tensors, [](const TensorInfo& tensor) -> const std::string& { return tensor.name; });
  impl_->backend.describe(description);
  description.precision = precision_name(impl_->encoder.weight());
  description.precision_reason = precision_reason(impl_->encoder);
  description.adapter = impl_->adapter;
  description.adapter_bytes = impl_->encoder.weights.adapted_bytes();
  description.arithmetic = arithmetic_of(impl_->encoder.weight());
  description.packed_bytes = impl_->encoder.packed ? impl_->encoder.packed->bytes() : 0;
  if (const PanelFile* panels = impl_->panels()) description.panel_file = panels->path();
  if (impl_->encoder.extension) description.label_reader = impl_->encoder.extension->description();
  return description;
}

void Model::check(const TokenSequence& sequence) const { check_sequence(sequence, impl_->config, ""); }

TokenSequence Model::sequence(const Encoding& encoding) const {
  TokenSequence sequence{encoding.ids, encoding.type_ids, encoding.attention_mask};
  if (impl_->config.type_vocab_size <= 1) sequence.type_ids = {};
  return sequence;
}

std::string_view version() { return BERT_INFER_VERSION; }

}  // namespace bert
