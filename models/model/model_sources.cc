#include "models/model/model_sources.h"

#include <algorithm>
#include <utility>

#include "engine/base/joined.h"
#include "engine/base/quote.h"
#include "engine/base/utf8_path.h"
#include "models/config/config.h"
#include "models/config/positions.h"
#include "models/files/builtin_files.h"
#include "models/model/encoder_change.h"

namespace bert {
namespace {

[[noreturn]] void refuse_of_static(const ModelForm& form, const std::string& asked, const std::string& missing) {
  throw Error(ErrorCode::kUnsupported, asked + ": " + quote_path(form.directory.value()) +
                                           " is a static model without " + missing + ", expected one with an encoder");
}

void refuse_changes_of_static(const ModelForm& form, const LoadOptions& options) {
  if (options.layers) refuse_of_static(form, "layers " + std::to_string(*options.layers), "layers");
  if (!form.adapter.empty()) refuse_of_static(form, "adapter " + quote_path(utf8(form.adapter)), "layers");
  const PositionChoice& positions = options.positions;
  if (positions.at == PositionsAt::kEveryLayer) refuse_of_static(form, "positions before every layer", "layers");
  if (positions.kind == Positions::kLearned || positions.kind == Positions::kSinusoidal) {
    refuse_of_static(form, "positions " + std::string(position_type(positions.kind)), "positions");
  }
}

Checkpoint open_checkpoint(const ModelForm& form, const LoadOptions& options) {
  return form.directory ? Checkpoint::open(form.weights_place, options.copy_weights)
                        : Checkpoint::from_memory(builtin_safetensors(), "built-in model");
}

StaticTable open_table(const ModelForm& form, const LoadOptions& options) {
  const auto read_table = form.static_kind == StaticKind::kRows ? read_static_table : read_token_weights;
  return read_table(open_checkpoint(form, options), module_options(options));
}

constexpr const char* kAdapterFile = "adapter_model.safetensors";

// Returns whether this tensor is the head's output layer.
bool is_output(std::string_view tensor, const HeadNames& names) {
  const std::string weight = std::string(names.output) + ".weight";
  if (names.output.empty() || !tensor.ends_with(weight)) return false;
  return tensor.size() == weight.size() || tensor[tensor.size() - weight.size() - 1] == '.';
}

// Gives the model the class that the adapter was made for. A classifier in the adapter has as many labels as outputs;
// their names are the configuration's if their number is equal.
void set_head(const LoraSettings& settings, const Family& family, const Checkpoint& adapter, ModelConfig& config,
              std::vector<std::string>& notices) {
  if (settings.head_class.empty()) return;
  const std::string name = std::string(family.class_prefix) + settings.head_class;
  config.architectures.assign(1, name);
  for (const HeadNames& names : family.heads) {
    const bool has_labels = names.head == Head::kSequenceClassification || names.head == Head::kTokenClassification;
    if (!has_labels || !name.ends_with(names.head == Head::kTokenClassification ? "ForTokenClassification"
                                                                                : "ForSequenceClassification")) {
      continue;
    }
    for (const StoredTensor& tensor : adapter.tensors()) {
      if (!is_output(tensor.name, names) || tensor.shape.size() != 2 || tensor.shape[0] == config.labels.size()) {
        continue;
      }
      config.labels = default_labels(tensor.shape[0]);
      notices.push_back(quote_path(settings.source) + ": the adapter's classifier has " +
                        std::to_string(tensor.shape[0]) +
                        " outputs, other than the labels of config.json: they are "
                        "LABEL_0, LABEL_1, …");
      return;
    }
  }
}

// Returns the rows of the matrix whose name begins and ends like this; `otherwise` if there is none.
size_t rows_of(const Checkpoint& checkpoint, std::string_view prefix, std::string_view ending, size_t otherwise) {
  size_t rows = otherwise;
  for (const StoredTensor& tensor : checkpoint.tensors()) {
    const bool is_it = tensor.name.starts_with(prefix) && tensor.name.ends_with(ending);
    if (is_it && tensor.shape.size() == 2) rows = tensor.shape[0];
  }
  return rows;
}

// Opens the adapter's file. Throws Error for a pickle file.
Checkpoint open_adapter(const std::filesystem::path& folder, const LoadOptions& options) {
  if (!is_there(folder / kAdapterFile) && is_there(folder / "adapter_model.bin")) {
    throw Error(ErrorCode::kUnsupported, quote_path(utf8(folder)) + ": found 'adapter_model.bin', expected " +
                                             quote(kAdapterFile) +
                                             ", as peft's save_pretrained writes it since version 0.6");
  }
  return Checkpoint::open_file(folder / kAdapterFile, options.copy_weights);
}

// Adds the adapter's file as the last one of the checkpoint.
std::optional<ModelSources::Adapter> add_adapter(const ModelForm& form, const Family& family,
                                                 const LoadOptions& options, ModelConfig& config,
                                                 Checkpoint& checkpoint, std::vector<std::string>& notices) {
  if (form.adapter.empty()) return std::nullopt;
  ModelSources::Adapter adapter{utf8(form.adapter), read_lora_settings(DirectorySource(form.adapter))};
  Checkpoint file = open_adapter(form.adapter, options);
  if (!form.read_extension) set_head(adapter.settings, family, file, config, notices);
  // An adapter with its own word table was made for as many words as the table has rows.
  config.vocab_size = rows_of(file, "", family.weights.anchor, config.vocab_size);
  checkpoint.append(std::move(file));
  return adapter;
}

// Chooses the language: the task names it.
void choose_language(LanguageAdapters& adapters, const std::optional<std::string>& task, const ModelForm& form) {
  const std::vector<std::string>& all = adapters.languages;
  if (task) adapters.language = *task;
  if (std::find(all.begin(), all.end(), adapters.language) != all.end()) return;
  throw Error(ErrorCode::kInvalidArgument,
              quote_path(form.directory.value_or("model")) + ": " +
                  (adapters.language.empty() ? "no language" : "language " + quote(adapters.language, 60)) +
                  ", expected one of " + joined(all, ", ") + " as the task");
}

ModelSources sources_of(ModelForm form, const LoadOptions& options);

// Finds the second encoder; its notices become the form's. The caller's changes do not apply to it.
std::unique_ptr<ModelSources> second_encoder_of(ModelForm& form, LoadOptions options) {
  if (!form.second_encoder) return nullptr;
  ModelForm second = form.second_encoder();
  form.notices.insert(form.notices.end(), second.notices.begin(), second.notices.end());
  second.notices.clear();
  options.layers.reset();
  options.task.reset();
  options.adapter.clear();
  options.positions = {};
  return std::make_unique<ModelSources>(sources_of(std::move(second), options));
}

ModelSources sources_of(ModelForm form, const LoadOptions& options) {
  std::optional<StaticTable> table;
  ModelConfig config;
  EncoderChange change;
  if (form.static_kind != StaticKind::kNone) {
    refuse_changes_of_static(form, options);
    table = open_table(form, options);
    config = static_config(*table);
  } else {
    if (const auto* missing = std::get_if<Error>(&form.config)) throw *missing;
    config = std::get<ModelConfig>(form.config);
    if (config.language_adapters) choose_language(*config.language_adapters, options.task, form);
    change = change_encoder(config, options.positions, options.layers, form.directory.value_or("built-in model"));
  }
  std::unique_ptr<ModelSources> second_encoder = second_encoder_of(form, options);
  TextSettings text = read_text_settings(form, read_tokenizer(form), &config, options.task);
  text.notices.insert(text.notices.begin(), form.notices.begin(), form.notices.end());
  if (table && (options.precision == Precision::kInt8 || options.precision == Precision::kBFloat16)) {
    text.notices.push_back(std::string("precision ") + (options.precision == Precision::kInt8 ? "int8" : "bfloat16") +
                           " has no effect: a static model has no linear layers before its modules");
  }
  if (!text.sentence.activation_fn.empty()) config.activation_fn = text.sentence.activation_fn;
  using Weights = decltype(ModelSources::weights);
  Weights weights = table ? Weights(std::move(*table)) : Weights(open_checkpoint(form, options));
  std::optional<ModelSources::Adapter> adapter;
  if (auto* checkpoint = std::get_if<Checkpoint>(&weights)) {
    adapter = add_adapter(form, *change.family, options, config, *checkpoint, text.notices);
  }
  if (form.vocabulary == VocabularyOf::kTokenizer) {
    config.vocab_size = std::get<Tokenizer>(text.tokenizer).vocabulary_size();
  } else if (form.vocabulary == VocabularyOf::kWeights) {
    config.vocab_size =
        rows_of(std::get<Checkpoint>(weights), form.prefix, "word_embeddings.weight", config.vocab_size);
  }
  return {.directory = std::move(form.directory),
          .family = change.family,
          .config = std::move(config),
          .text = std::move(text),
          .weights = std::move(weights),
          .experiment = std::move(change.experiment),
          .left_out = std::move(form.left_out),
          .read_extension = std::move(form.read_extension),
          .prefix = form.prefix,
          .adapter = std::move(adapter),
          .second_encoder = std::move(second_encoder)};
}

}  // namespace

ModelSources find_sources(const std::filesystem::path& directory, const LoadOptions& options) {
  return sources_of(read_form(directory, options), options);
}

ModelSources builtin_sources(const LoadOptions& options) { return sources_of(builtin_form(options), options); }

WeightReaderOptions module_options(const LoadOptions& options) {
  return {.ignore_unexpected = options.ignore_unexpected, .check_finite = options.check_tensors};
}

}  // namespace bert
