#include "models/model/model_parts.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/cpu.h"
#include "engine/base/quote.h"
#include "models/config/config.h"
#include "models/config/quantization.h"
#include "models/encoder/plan_reader.h"

namespace bert {
namespace {

// Returns whether products use bfloat16 arithmetic.
bool in_bfloat16(const ModelConfig& config, Precision precision) {
  return precision == Precision::kBFloat16 ||
         (precision == Precision::kStored && config.bfloat16_products && !config.quantization);
}

// Returns the options for the encoder's weights. Throws Error if the weights are 8-bit and another precision is
// requested.
WeightReaderOptions reader_options(const ModelSources& sources, const Checkpoint& checkpoint,
                                   const LoadOptions& options) {
  const std::optional<Quantization>& quantization = sources.config.quantization;
  const bool is_bfloat16 = in_bfloat16(sources.config, options.precision);
  if (quantization && (is_bfloat16 || options.precision == Precision::kFloat32)) {
    throw Error(ErrorCode::kInvalidArgument, quote_path(checkpoint.source()) + ": " +
                                                 (is_bfloat16 ? "bfloat16" : "float32") +
                                                 " requested, but the weights are 8-bit integers; expected the model "
                                                 "that they were made of");
  }
  WeightReaderOptions reader = module_options(options);
  reader.quantize = !quantization && options.precision == Precision::kInt8;
  if (is_bfloat16) reader.arithmetic = ProductArithmetic::kBFloat16;
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

// Returns why the linear layers have their precision.
std::string precision_reason(const ModelConfig& config, const LoadOptions& options, bool has_adapter) {
  if (config.quantization) {
    return std::string("quantization_config of config.json, with ") +
           (config.quantization->symmetric_activations ? "symmetric" : "asymmetric") + " activations" +
           (config.quantization->int8_tables ? "; the embedding tables are 8-bit too" : "");
  }
  if (options.precision == Precision::kInt8) return "requested: quantised when loaded";
  if (options.precision == Precision::kBFloat16) return "requested: rounded where they are multiplied";
  if (in_bfloat16(config, options.precision)) return "bert_infer_precision of config.json";
  if (has_adapter) return "the weights are changed by the adapter (LoRA) when they are loaded";
  return "as in the weights' files";
}

// Makes the plan's only head for settings with a logit_score: one output, the difference of the two entries' rows.
// word_table: the name of the word embeddings' module. Throws Error(kInvalidFile) for an id past the vocabulary.
void set_logit_score_head(const SentenceSettings& settings, const ModelConfig& config, std::string_view word_table,
                          EncoderPlan& plan, WeightReader& reader) {
  const LogitScore& score = settings.logit_score.value();
  constexpr std::string_view kOutput = "lm_head", kWeight = "lm_head.weight";
  for (const int32_t id : {score.true_id, score.false_id.value_or(0)}) {
    if (static_cast<size_t>(id) < config.vocab_size) continue;
    throw Error(ErrorCode::kInvalidFile,
                "LogitScore: token " + std::to_string(id) + ", expected 0 to " + std::to_string(config.vocab_size - 1));
  }
  const bool is_tied = !reader.has(kWeight);
  const WeightView rows = is_tied ? reader.tied(kOutput, word_table, plan.embeddings.word)
                                  : reader.matrix(kWeight, config.vocab_size, config.hidden_size, WeightRole::kHead);
  const auto row_of = [&](int32_t id) {
    std::vector<float> row(rows.cols);
    kernels_for({}).copy_row(row.data(), rows.row(static_cast<size_t>(id)), row.size());
    return row;
  };
  std::vector<float> weight = row_of(score.true_id);
  if (score.false_id) {
    const std::vector<float> other = row_of(*score.false_id);
    for (size_t i = 0; i < weight.size(); ++i) weight[i] -= other[i];
  }
  HeadSpec head{.head = Head::kSequenceClassification, .input = HeadInput::kLastToken, .layers = {}};
  const std::span<const float> kept = reader.keep(weight);
  head.layers.output.parts = {{{.data = kept.data(), .rows = 1, .cols = kept.size()}, nullptr}};
  plan.heads.assign(1, head);
}

// Names a classifier's outputs by the configuration's labels if their number is equal.
void name_labels(ModelSources& sources, size_t outputs) {
  std::vector<std::optional<std::string>>& labels = sources.config.labels;
  if (labels.size() == outputs) return;
  sources.text.notices.push_back("config.json has " + std::to_string(labels.size()) +
                                 " labels and the last module has " + std::to_string(outputs) +
                                 (outputs == 1 ? " output" : " outputs") + ": the labels are LABEL_0, LABEL_1, …");
  labels = default_labels(outputs);
}

}  // namespace

EncoderParts read_encoder(const ModelSources& sources, Checkpoint checkpoint, const LoadOptions& options,
                          std::span<const std::string_view> unused) {
  const Family& family = *sources.family;
  const WeightReaderOptions reading = reader_options(sources, checkpoint, options);
  WeightNames names = family.weights;
  std::vector<std::string_view> ignorable(names.ignorable.begin(), names.ignorable.end());
  ignorable.insert(ignorable.end(), unused.begin(), unused.end());
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
  std::unique_ptr<const ModelExtension> extension;
  if (sources.read_extension) {
    extension = sources.read_extension(sources.config, std::get<Tokenizer>(sources.text.tokenizer), reader);
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
          .extension = std::move(extension)};
}

EncoderParts table_alone(StaticTable table) {
  EncoderPlan plan;
  plan.embeddings.word = table.rows;
  return {.weights = std::move(table.storage),
          .plan = std::move(plan),
          .heads = {},
          .precision_reason = "as in the weights' files"};
}

void pack_weights(EncoderParts& encoder, const Gemm& gemm, const LoadOptions& options, bool has_folder) {
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

// Stanford's Dense is such a matrix; the tensor gives its width.
std::vector<std::string_view> measure_token_modules(SentenceSettings& settings, const Checkpoint& checkpoint) {
  std::vector<std::string_view> names;
  if (!settings.late) return names;
  for (SentenceModule& module : settings.late->modules) {
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
    names.push_back(kName);
  }
  return names;
}

SentenceParts read_sentence_parts(ModelSources& sources, const WeightReaderOptions& reading) {
  SentenceSettings& settings = sources.text.sentence;
  const size_t hidden_size = sources.config.hidden_size;
  const Tokenizer* tokenizer = std::get_if<Tokenizer>(&sources.text.tokenizer);
  SentenceParts parts{.modules = load_modules(settings, hidden_size, sources.folder(), reading)};
  if (sources.family == nullptr) return parts;  // there is no encoder whose tokens have vectors
  if (settings.late) {
    parts.token_modules.emplace(settings.late->modules, hidden_size, sources.folder(), reading);
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

}  // namespace bert
