// The facade: finds a model's files and puts tokenizer, plan and backend together.
#include "bert/model.h"

#include <utility>
#include <variant>

#include "engine/base/cpu.h"
#include "engine/base/floating_point.h"
#include "engine/base/quote.h"
#include "models/config/config.h"
#include "models/config/quantization.h"
#include "models/encoder/distance_tables.h"
#include "models/encoder/plan_reader.h"
#include "models/files/builtin_files.h"
#include "models/model/model_impl.h"
#include "models/sentence/static_table.h"

namespace bert {

std::string Model::Impl::model_named() const {
  return directory ? "the model in " + quote_path(*directory) : "the built-in model";
}

Model::Model(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

namespace {

// What config.json and the tokenizer's files contain; no weights.
struct Description {
  std::optional<std::string> directory;  // nullopt: the built-in model
  const Family* family;
  ModelConfig config;
  TextSettings text;
  std::string experiment = {};  // the notice if the positions are not the model's own; else ""
};

const Family* family_of(const ModelConfig& config) {
  return find_family(config.model_type, config.position_embedding_type);
}

// positions: overrides the configuration's positions; "": does not.
std::string replace_positions(ModelConfig& config, const std::string& positions) {
  if (positions.empty() || positions == config.position_embedding_type) return "";
  const std::string native = std::exchange(config.position_embedding_type, positions);
  return "an experiment: positions " + positions + " in place of the model's own, " + native;
}

// The options of the weights' reader. Throws Error if the precision requested is not that of 8-bit weights.
WeightReaderOptions reader_options(const Description& description, const Checkpoint& checkpoint,
                                   const LoadOptions& options) {
  const std::optional<Quantization>& quantization = description.config.quantization;
  if (quantization && options.precision == Precision::kFloat32) {
    throw Error(
        ErrorCode::kInvalidArgument,
        quote_path(checkpoint.source()) +
            ": float32 requested, but the weights are 8-bit integers; expected the model that they were made of");
  }
  WeightReaderOptions reader{.ignore_unexpected = options.ignore_unexpected, .check_finite = options.check_tensors};
  reader.quantize = !quantization && options.precision == Precision::kInt8;
  if (reader.quantize || quantization) {
    const bool symmetric = quantization && quantization->symmetric_activations;
    reader.int8 = symmetric ? WeightFormat::kI8Symmetric : WeightFormat::kI8;
  }
  if (description.text.adapter) {
    const TaskAdapters& adapters = *description.config.adapters;
    reader.adapter = {.index = *description.text.adapter,
                      .count = adapters.tasks.size(),
                      .rank = adapters.rank,
                      .scale = adapters.alpha / static_cast<double>(adapters.rank)};
  }
  if (reader.int8 || reader.adapter) {
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
  if (has_adapter) return "the weights are changed by the task's adapter (LoRA) when they are loaded";
  return "as in the weights' files";
}

// The modules of a late-interaction model's tokens. Stanford's Dense is a tensor beside the encoder's, as wide as it
// is there; the encoder does not use it.
std::vector<SentenceModule> take_token_modules(const SentenceSettings& sentence, const Checkpoint& checkpoint,
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

std::unique_ptr<const Model::Impl> read_model(Description description, Checkpoint checkpoint,
                                              const LoadOptions& options) {
  const Family& family = *description.family;
  const WeightReaderOptions reading = reader_options(description, checkpoint, options);
  WeightNames names = family.weights;
  std::vector<std::string_view> ignorable(names.ignorable.begin(), names.ignorable.end());
  std::vector<SentenceModule> token_modules = take_token_modules(description.text.sentence, checkpoint, ignorable);
  names.ignorable = ignorable;
  WeightReader reader(std::move(checkpoint), names, reading);
  EncoderPlan plan = read_plan(description.config, family, reader);
  std::vector<Head> heads;
  for (const HeadSpec& spec : plan.heads) heads.push_back(spec.head);
  if (reading.quantize) reader.notice("the weights of the linear layers are quantised to 8 bits, as requested");
  WeightStorage weights = reader.finish();
  if (description.config.quantization) check_ignored(*description.config.quantization, family.renamed_parts, weights);
  Backend backend(options, plan.layers.front().attention.qkv.parts.front().weight.format);
  compute_distance_tables(plan, backend);
  const WeightReaderOptions module_reading{.ignore_unexpected = options.ignore_unexpected,
                                           .check_finite = options.check_tensors};
  ModuleChain modules = load_modules(description.text.sentence, description.config.hidden_size,
                                     description.directory.value_or(""), module_reading);
  std::vector<std::string> notices = description.text.notices;
  notices.insert(notices.end(), weights.notices.begin(), weights.notices.end());
  for (std::string& notice : modules.notices()) notices.push_back(std::move(notice));
  if (!options.runtime && backend.threads() < backend.wanted_threads()) {
    notices.push_back("created " + std::to_string(backend.threads()) + " of " +
                      std::to_string(backend.wanted_threads()) + " threads");
  }
  if (!description.experiment.empty()) notices.push_back(std::move(description.experiment));
  std::optional<ModuleChain> token_chain;
  std::optional<LateInteraction> late;
  if (description.text.sentence.late) {
    token_chain.emplace(std::move(token_modules), description.config.hidden_size, description.directory.value_or(""),
                        module_reading);
    late.emplace(*description.text.sentence.late, std::get_if<Tokenizer>(&description.text.tokenizer),
                 description.text.limit.tokens.value());
    for (std::string& notice : token_chain->notices()) notices.push_back(std::move(notice));
    notices.insert(notices.end(), late->notices().begin(), late->notices().end());
  }
  std::optional<LexicalWeights> lexical;
  if (const auto& sparse = description.text.sentence.sparse; sparse && std::holds_alternative<LexicalModule>(*sparse)) {
    lexical.emplace(std::get<LexicalModule>(*sparse), description.config.hidden_size,
                    description.directory.value_or(""), module_reading,
                    std::get_if<Tokenizer>(&description.text.tokenizer));
  }
  std::string reason = precision_reason(description.config, options, reading.adapter.has_value());
  return std::unique_ptr<const Model::Impl>(new Model::Impl{
      std::move(description.directory), std::move(description.config), std::move(description.text), std::move(weights),
      std::move(plan), std::move(heads), std::move(modules), std::move(notices), std::move(reason), std::move(backend),
      std::move(token_chain), std::move(late), std::move(lexical)});
}

// A static model: its plan has a table and no layers.
std::unique_ptr<const Model::Impl> read_static_model(const std::filesystem::path& directory, StaticKind kind,
                                                     const LoadOptions& options) {
  const DirectorySource files(directory);
  const std::filesystem::path place = encoder_directory(directory, options.task);
  const WeightReaderOptions reading{.ignore_unexpected = options.ignore_unexpected,
                                    .check_finite = options.check_tensors};
  const auto read_table = kind == StaticKind::kRows ? read_static_table : read_token_weights;
  StaticTable table = read_table(Checkpoint::open(place, options.copy_weights), reading);
  ModelConfig config = static_config(table);
  TokenizerOptions tokenizer = options.tokenizer;
  set_static(kind, tokenizer);
  TextSettings text = read_text_settings(load_tokenizer_if_any(place, tokenizer), files, &config, options.task);
  set_unknown_id(text);
  EncoderPlan plan;
  plan.embeddings.word = table.rows;
  Backend backend(options, table.rows.format);
  ModuleChain modules = load_modules(text.sentence, config.hidden_size, directory, reading);
  std::vector<std::string> notices = text.notices;
  notices.insert(notices.end(), table.storage.notices.begin(), table.storage.notices.end());
  for (std::string& notice : modules.notices()) notices.push_back(std::move(notice));
  return std::unique_ptr<const Model::Impl>(new Model::Impl{directory.string(),
                                                            std::move(config),
                                                            std::move(text),
                                                            std::move(table.storage),
                                                            std::move(plan),
                                                            {},
                                                            std::move(modules),
                                                            std::move(notices),
                                                            "as in the weights' files",
                                                            std::move(backend)});
}

}  // namespace

Model ModelAccess::load(const std::string& name, const LoadOptions& options, const std::string& positions) {
  const DefaultFloatingPoint mode;
  const std::filesystem::path directory = find_model(name, options.revision);
  const StaticKind kind = static_kind(DirectorySource(directory), options.task);
  if (kind != StaticKind::kNone) return Model(read_static_model(directory, kind, options));
  const std::filesystem::path encoder = encoder_directory(directory, options.task);
  std::vector<std::string> notices;
  ModelConfig config = read_config(DirectorySource(encoder), &notices);
  const Family* family = family_of(config);
  std::string experiment = replace_positions(config, positions);
  TextSettings text = read_text_settings(load_tokenizer_if_any(encoder, options.tokenizer), DirectorySource(directory),
                                         &config, options.task);
  text.notices.insert(text.notices.begin(), notices.begin(), notices.end());
  if (!text.sentence.activation_fn.empty()) config.activation_fn = text.sentence.activation_fn;
  return Model(read_model({directory.string(), family, std::move(config), std::move(text), std::move(experiment)},
                          Checkpoint::open(encoder, options.copy_weights), options));
}

Model ModelAccess::builtin(const LoadOptions& options, const std::string& positions) {
  const DefaultFloatingPoint mode;
  const MemorySource files = builtin_files();
  ModelConfig config = read_config(files);
  const Family* family = family_of(config);
  std::string experiment = replace_positions(config, positions);
  TextSettings text =
      read_text_settings(read_builtin_tokenizer(files, options.tokenizer), files, &config, options.task);
  return Model(read_model({std::nullopt, family, std::move(config), std::move(text), std::move(experiment)},
                          Checkpoint::from_memory(builtin_safetensors(), "built-in model"), options));
}

Model Model::load(const std::string& name, const LoadOptions& options) { return ModelAccess::load(name, options, ""); }
Model Model::builtin(const LoadOptions& options) { return ModelAccess::builtin(options, ""); }

const ModelConfig& Model::config() const { return impl_->config; }
bool Model::has_tokenizer() const { return std::holds_alternative<Tokenizer>(impl_->text.tokenizer); }
const Tokenizer& Model::tokenizer() const {
  if (const auto* why = std::get_if<Error>(&impl_->text.tokenizer)) throw *why;
  return std::get<Tokenizer>(impl_->text.tokenizer);
}
bool Model::has_pooler() const { return impl_->has_pooler(); }
const std::vector<Head>& Model::heads() const { return impl_->heads; }
size_t Model::threads() const { return impl_->backend.threads(); }
size_t Model::max_length() const { return impl_->max_length(); }

void check_max_length(size_t max_length, size_t max_positions) {
  if (max_length <= max_positions) return;
  throw Error(ErrorCode::kInvalidArgument, "max_length " + std::to_string(max_length) + ", expected at most " +
                                               std::to_string(max_positions) + ", the model's positions");
}
size_t Model::max_positions() const { return most_positions(impl_->config); }
const std::vector<std::string>& Model::notices() const { return impl_->notices; }

void Model::check_files() const { impl_->weights.checkpoint.check_files(); }

ModelDescription Model::describe() const {
  ModelDescription description;
  description.source = impl_->directory.value_or("built-in");
  description.is_builtin = !impl_->directory;
  const Checkpoint& checkpoint = impl_->weights.checkpoint;
  description.files = checkpoint.files();
  for (size_t i = 0; i < checkpoint.tensors().size(); ++i) {
    const StoredTensor& tensor = checkpoint.tensors()[i];
    const WeightRole role = impl_->weights.roles[i];
    description.tensors.push_back({.name = std::string(tensor.name),
                                   .dtype = std::string(tensor.type->name),
                                   .shape = {tensor.shape.begin(), tensor.shape.end()},
                                   .bytes = tensor.data.size(),
                                   .used = role != WeightRole::kUnused && role != WeightRole::kHead});
  }
  impl_->backend.describe(description);
  description.precision = precision_name(impl_->format());
  description.precision_reason = impl_->precision_reason;
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
