// The facade: finds a model's files and puts tokenizer, plan and backend together.
#include "bert/model.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "engine/base/cpu.h"
#include "engine/base/floating_point.h"
#include "engine/base/natural_order.h"
#include "engine/base/quote.h"
#include "models/config/default_labels.h"
#include "models/config/quantization.h"
#include "models/encoder/distance_tables.h"
#include "models/encoder/plan_reader.h"
#include "models/model/logit_score.h"
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

// ModelDescription::arithmetic. The second of 8-bit layers has GELU by pieces (docs/NUMERICS.md).
constexpr int kFloatArithmetic = 1, kInt8Arithmetic = 2;

// For the encoder's weights. Throws Error if the precision requested is not that of 8-bit weights.
WeightReaderOptions reader_options(const ModelSources& sources, const Checkpoint& checkpoint,
                                   const LoadOptions& options) {
  const std::optional<Quantization>& quantization = sources.config.quantization;
  if (quantization && options.precision == Precision::kFloat32) {
    throw Error(
        ErrorCode::kInvalidArgument,
        quote_path(checkpoint.source()) +
            ": float32 requested, but the weights are 8-bit integers; expected the model that they were made of");
  }
  WeightReaderOptions reader = module_options(options);
  reader.quantize = !quantization && options.precision == Precision::kInt8;
  if (reader.quantize || quantization) {
    const bool symmetric = quantization && quantization->symmetric_activations;
    reader.int8 = symmetric ? WeightFormat::kI8Symmetric : WeightFormat::kI8;
  }
  if (sources.text.adapter) {
    const TaskAdapters& adapters = *sources.config.adapters;
    reader.adapter = {.index = *sources.text.adapter,
                      .count = adapters.tasks.size(),
                      .rank = adapters.rank,
                      .scale = adapters.alpha / static_cast<double>(adapters.rank)};
  }
  if (sources.adapter) {
    const LoraSettings& lora = sources.adapter->settings;
    reader.adapter_files = {
        .first_file = checkpoint.files().size() - 1,
        .scale = [&lora](std::string_view module, size_t rank) { return lora.scale(module, rank); }};
  }
  if (reader.int8 || reader.adapter || reader.adapter_files || sources.config.experts) {
    reader.threads = options.runtime ? options.runtime->threads() : options.threads;
    if (reader.threads == 0) reader.threads = available_cores();
  }
  return reader;
}

// Why the linear layers have their precision.
std::string precision_reason(const ModelConfig& config, const LoadOptions& options, bool has_adapter) {
  if (config.quantization) {
    return std::string("quantization_config of config.json, with ") +
           (config.quantization->symmetric_activations ? "symmetric" : "asymmetric") + " activations" +
           (config.quantization->int8_tables ? "; the embedding tables are 8-bit too" : "");
  }
  if (options.precision == Precision::kInt8) return "requested: quantised when loaded";
  if (has_adapter) return "the weights are changed by the adapter (LoRA) when they are loaded";
  return "as in the weights' files";
}

// The modules of a late-interaction model's tokens. Stanford's Dense is a tensor beside the encoder's, as wide as it
// is there; the encoder does not use it.
std::vector<SentenceModule> find_token_modules(const SentenceSettings& sentence, const Checkpoint& checkpoint,
                                               std::vector<std::string_view>& ignorable) {
  if (!sentence.late) return {};
  std::vector<SentenceModule> modules = sentence.late->modules;
  for (SentenceModule& module : modules) {
    auto* dense = std::get_if<DenseModule>(&module.kind);
    if (dense == nullptr || dense->out != 0) continue;
    constexpr std::string_view kName = "linear.weight";
    const StoredTensor* tensor = checkpoint.find(kName);
    if (tensor == nullptr || tensor->shape.size() != 2) {
      throw Error(
          ErrorCode::kInvalidFile,
          quote_path(checkpoint.source()) + ": no matrix 'linear.weight', expected one beside the encoder of ColBERT");
    }
    dense->out = tensor->shape[0];
    dense->in = tensor->shape[1];
    ignorable.push_back(kName);
  }
  return modules;
}

// token_modules: receives those of a late-interaction model.
Model::Impl::EncoderParts read_encoder(const ModelSources& sources, Checkpoint checkpoint, const LoadOptions& options,
                                       std::vector<SentenceModule>& token_modules) {
  const Family& family = *sources.family;
  const WeightReaderOptions reading = reader_options(sources, checkpoint, options);
  WeightNames names = family.weights;
  std::vector<std::string_view> ignorable(names.ignorable.begin(), names.ignorable.end());
  token_modules = find_token_modules(sources.text.sentence, checkpoint, ignorable);
  ignorable.insert(ignorable.end(), sources.left_out.begin(), sources.left_out.end());
  names.ignorable = ignorable;
  if (!sources.prefix.empty()) names.prefixes = {&sources.prefix, 1};
  WeightReader reader(std::move(checkpoint), names, reading);
  EncoderPlan plan = read_plan(sources.config, family, reader);
  const size_t later_layers = ignore_later_layers(sources.config, family, reader);
  if (later_layers > 0 && !options.layers) {
    reader.notice("config.json names " + std::to_string(sources.config.num_hidden_layers) +
                  " layers and the weights have " + std::to_string(later_layers) +
                  " more, which are not used, as in the reference library");
  }
  std::unique_ptr<const LabelReader> label_reader;
  if (sources.read_labels) {
    label_reader = sources.read_labels(sources.config, std::get<Tokenizer>(sources.text.tokenizer), reader);
  }
  if (sources.text.sentence.logit_score) {
    set_logit_score_head(sources.text.sentence, sources.config, family.names.word_embeddings, plan, reader);
  }
  std::vector<Head> heads;
  for (const HeadSpec& spec : plan.heads) heads.push_back(spec.head);
  if (reading.quantize) reader.notice("the weights of the linear layers are quantised to 8 bits, as requested");
  WeightStorage weights = reader.finish();
  const std::optional<Quantization>& quantization = sources.config.quantization;
  if (quantization) check_ignored(*quantization, family.renamed_parts, weights);
  return {.weights = std::move(weights),
          .plan = std::move(plan),
          .heads = std::move(heads),
          .precision_reason = precision_reason(sources.config, options, reading.adapter || reading.adapter_files),
          .label_reader = std::move(label_reader)};
}

// A static model: its plan has a table and no layers.
Model::Impl::EncoderParts table_alone(StaticTable table) {
  EncoderPlan plan;
  plan.embeddings.word = table.rows;
  return {.weights = std::move(table.storage),
          .plan = std::move(plan),
          .heads = {},
          .precision_reason = "as in the weights' files"};
}

// The labels of a classifier's outputs are the configuration's if these are as many.
void name_labels(ModelSources& sources, size_t outputs) {
  std::vector<std::optional<std::string>>& labels = sources.config.labels;
  if (labels.size() == outputs) return;
  sources.text.notices.push_back("config.json has " + std::to_string(labels.size()) +
                                 " labels and the last module has " + std::to_string(outputs) +
                                 (outputs == 1 ? " output" : " outputs") + ": the labels are LABEL_0, LABEL_1, …");
  labels = default_labels(outputs);
}

// token_modules: those of a late-interaction model.
Model::Impl::SentenceParts read_sentence_parts(ModelSources& sources, std::vector<SentenceModule> token_modules,
                                               const WeightReaderOptions& reading) {
  SentenceSettings& settings = sources.text.sentence;
  const size_t hidden_size = sources.config.hidden_size;
  const Tokenizer* tokenizer = std::get_if<Tokenizer>(&sources.text.tokenizer);
  Model::Impl::SentenceParts parts{.modules = load_modules(settings, hidden_size, sources.folder(), reading)};
  if (sources.family == nullptr) return parts;  // no token has a vector of an encoder
  if (settings.late) {
    parts.token_modules.emplace(std::move(token_modules), hidden_size, sources.folder(), reading);
    parts.late.emplace(*settings.late, tokenizer, sources.text.limit.tokens.value());
  }
  if (settings.sparse && std::holds_alternative<LexicalModule>(*settings.sparse)) {
    parts.lexical.emplace(std::get<LexicalModule>(*settings.sparse), hidden_size, sources.folder(), reading, tokenizer);
  }
  if (!settings.classifier.empty()) {
    parts.classifier.emplace(settings.classifier, hidden_size, sources.folder(), reading);
    name_labels(sources, parts.classifier->width());
  }
  if (settings.logit_score && sources.config.labels.size() != 1) sources.config.labels.assign(1, "LABEL_0");
  return parts;
}

// The messages for the user, in the order of reading.
std::vector<std::string> collect_notices(const ModelSources& sources, const Model::Impl::EncoderParts& encoder,
                                         const Model::Impl::SentenceParts& sentence, const Backend& backend,
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

// The file of packed weights beside the weights; of what it does not have, LoadOptions::packing and packed_bytes.
void pack_weights(Model::Impl::EncoderParts& encoder, const Gemm& gemm, const LoadOptions& options, bool has_folder) {
  const Checkpoint& checkpoint = encoder.weights.checkpoint;
  std::optional<PanelFile> file;
  if (has_folder) file = PanelFile::open(checkpoint, encoder.plan, gemm, encoder.weights.notices);
  const size_t bytes = packed_bytes(encoder.plan, gemm, file ? &*file : nullptr);
  const bool has_bound = options.packed_bytes > 0;
  auto start = has_bound || options.packing == Packing::kAlways ? PackedWeights::Start::kFirstPass
                                                                : PackedWeights::Start::kRepeatedPass;
  if (options.packing == Packing::kNever || bytes == 0) {
    start = PackedWeights::Start::kNever;
  } else if (has_bound && bytes > options.packed_bytes) {
    start = PackedWeights::Start::kNever;
    encoder.weights.notices.push_back("the weights are read as they are stored: packed they need " +
                                      std::to_string(bytes) + " bytes of memory, more than " +
                                      std::to_string(options.packed_bytes));
  }
  if (start == PackedWeights::Start::kNever && !file) return;
  encoder.packed = std::make_unique<PackedWeights>(encoder.plan, checkpoint, bytes, start, std::move(file));
  encoder.plan.packed = encoder.packed.get();
}

// The encoder of labels has a thread of its own: labels are few, and encoded once.
std::unique_ptr<const Model> read_label_encoder(ModelSources& sources, LoadOptions options);

std::unique_ptr<const Model::Impl> read_model(ModelSources sources, const LoadOptions& options) {
  std::vector<SentenceModule> token_modules;
  auto* table = std::get_if<StaticTable>(&sources.weights);
  Model::Impl::EncoderParts encoder =
      table != nullptr
          ? table_alone(std::move(*table))
          : read_encoder(sources, std::move(std::get<Checkpoint>(sources.weights)), options, token_modules);
  Backend backend(options, encoder.format());
  compute_distance_tables(encoder.plan, backend);
  pack_weights(encoder, backend.gemm(), options, sources.directory.has_value());
  Model::Impl::SentenceParts sentence = read_sentence_parts(sources, std::move(token_modules), module_options(options));
  std::vector<Head>& heads = encoder.heads;
  constexpr Head kClassification = Head::kSequenceClassification;
  if (sentence.classifier && std::find(heads.begin(), heads.end(), kClassification) == heads.end()) {
    heads.push_back(kClassification);
  }
  std::vector<std::string> notices = collect_notices(sources, encoder, sentence, backend, options);
  std::unique_ptr<const Model> label_encoder = read_label_encoder(sources, options);
  return std::unique_ptr<const Model::Impl>(
      new Model::Impl{.directory = std::move(sources.directory),
                      .adapter = sources.adapter ? sources.adapter->directory : "",
                      .config = std::move(sources.config),
                      .text = std::move(sources.text),
                      .encoder = std::move(encoder),
                      .sentence = std::move(sentence),
                      .label_encoder = std::move(label_encoder),
                      .notices = std::move(notices),
                      .backend = std::move(backend)});
}

std::unique_ptr<const Model> read_label_encoder(ModelSources& sources, LoadOptions options) {
  if (sources.label_encoder == nullptr) return nullptr;
  options.layers.reset();
  options.packing = Packing::kNever;
  if (!options.runtime) options.threads = 1;
  return std::make_unique<const Model>(ModelAccess::of(read_model(std::move(*sources.label_encoder), options)));
}

}  // namespace

Model ModelAccess::load(const std::string& name, const LoadOptions& options, const PositionReplacement& positions) {
  const DefaultFloatingPoint mode;
  return Model(read_model(find_sources(find_model(name, options.revision), positions, options), options));
}

Model ModelAccess::builtin(const LoadOptions& options, const PositionReplacement& positions) {
  const DefaultFloatingPoint mode;
  return Model(read_model(builtin_sources(positions, options), options));
}

Model Model::load(const std::string& name, const LoadOptions& options) { return ModelAccess::load(name, options, {}); }
Model Model::builtin(const LoadOptions& options) { return ModelAccess::builtin(options, {}); }

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
  description.precision = precision_name(impl_->encoder.format());
  description.precision_reason = impl_->encoder.precision_reason;
  description.adapter = impl_->adapter;
  description.adapter_bytes = impl_->encoder.weights.adapted_bytes();
  description.arithmetic = is_8_bit(impl_->encoder.format()) ? kInt8Arithmetic : kFloatArithmetic;
  description.packed_bytes = impl_->encoder.packed ? impl_->encoder.packed->bytes() : 0;
  if (const PanelFile* panels = impl_->panels()) description.panel_file = panels->path();
  if (impl_->encoder.label_reader) description.label_reader = impl_->encoder.label_reader->description();
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
