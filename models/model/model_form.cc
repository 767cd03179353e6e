#include "models/model/model_form.h"

#include <algorithm>
#include <utility>

#include "engine/base/file.h"
#include "engine/base/json/json_object.h"
#include "engine/base/quote.h"
#include "engine/base/utf8_path.h"
#include "models/config/config.h"
#include "models/config/lora_settings.h"
#include "models/config/tag_biases.h"
#include "models/files/builtin_files.h"

namespace bert {
namespace {

// Reads an encoder or a static model, with the modules that sentence-transformers adds.
ModelForm unlabelled_form(const std::filesystem::path& directory, const LoadOptions& options) {
  const std::filesystem::path place = encoder_directory(directory, options.task);
  return {.directory = utf8(directory),
          .settings = std::make_shared<const DirectorySource>(directory),
          .tokenizer_place = place,
          .weights_place = place,
          .adapter = adapter_directory(options),
          .tokenizer = options.tokenizer,
          .static_file = options.static_file};
}

// Returns a model's directory, named in an adapter's settings.
std::filesystem::path base_of(const std::filesystem::path& adapter, const std::string& revision) {
  const LoraSettings settings = read_lora_settings(DirectorySource(adapter));
  const std::string found = quote_path(settings.source) + ": an adapter (LoRA) ";
  const std::string expected = ", expected its base model as the model, and this directory as its adapter (--adapter)";
  if (settings.base_model.empty()) {
    throw Error(ErrorCode::kNotFound, found + "that does not name its base model" + expected);
  }
  try {
    return find_model(settings.base_model, revision);
  } catch (const Error& error) {
    throw Error(error.code(), found + "of " + quote(settings.base_model, 200) + ", which is not there" + expected);
  }
}

// If the directory has only an adapter, finds the base model that it names. The modules and the tokenizer are those
// beside the adapter if they exist there, as sentence-transformers saves them.
void find_base(ModelForm& form, const LoadOptions& options) {
  const std::filesystem::path place = form.weights_place;
  if (is_there(place / "config.json") || !is_there(place / "adapter_config.json")) return;
  if (!form.adapter.empty()) {
    throw Error(ErrorCode::kUnsupported, quote_path(utf8(place)) +
                                             ": an adapter (LoRA) with another one, expected "
                                             "a whole model and one adapter");
  }
  const std::filesystem::path base = base_of(place, options.revision);
  form.notices.push_back(quote_path(utf8(place)) + ": an adapter (LoRA) of the base model " + quote_path(utf8(base)));
  form.adapter = place;
  form.weights_place = encoder_directory(base, options.task);
  if (!is_there(place / "tokenizer_config.json")) form.tokenizer_place = form.weights_place;
  if (is_there(path_of(*form.directory) / "modules.json")) return;
  form.settings = std::make_shared<const DirectorySource>(base);
}

std::optional<ModelForm> static_form(const std::filesystem::path& directory, const LoadOptions& options) {
  const StaticKind kind = static_kind(DirectorySource(directory), options.task, options.static_file);
  if (kind == StaticKind::kNone) return std::nullopt;
  ModelForm form = unlabelled_form(directory, options);
  form.static_kind = kind;
  set_static(kind, form.tokenizer);
  return form;
}

ModelForm encoder_form(const std::filesystem::path& directory, const LoadOptions& options) {
  ModelForm form = unlabelled_form(directory, options);
  find_base(form, options);
  form.tokenizer.lowercase_first |= lowercases_first(*form.settings, options.task);
  const DirectorySource files(form.weights_place);
  try {
    ModelConfig config = read_config(files, &form.notices);
    config.tag_biases = read_tag_biases(files, config);
    form.config = std::move(config);
  } catch (const Error& error) {
    if (files.read("config.json", kMaxModelFile)) throw;
    form.config = error;
  }
  return form;
}

void refuse_gliner_options(const LoadOptions& options) {
  const auto refuse = [](const std::string& option, const char* use) {
    throw Error(ErrorCode::kInvalidArgument, option + " requested, but the model is no GLiNER model, " + use);
  };
  if (options.max_words) refuse("max_words", "whose max_len it replaces");
  if (options.max_width) refuse("max_width", "whose max_width it replaces");
  if (!options.encoder.empty()) refuse("encoder " + quote_path(options.encoder), "whose encoder it is");
}

// Returns the file or field that shows that the directory's model reads labels; "": there is none.
std::string sign_of_labels(const std::filesystem::path& directory) {
  if (is_there(directory / "gliner_config.json")) return "it has gliner_config.json";
  const DirectorySource files(directory);
  const std::optional<std::string> text = files.read("config.json", kMaxModelFile);
  if (!text) return "";
  const std::string source = files.display_name("config.json");
  const JsonDocument document = parse_json(*text, source, {.max_bytes = kMaxModelFile});
  const std::optional<Json> type = JsonObject(document.root(), source).nullable("model_type");
  for (const char* of_labels : {"extractor", "GLiClass"}) {  // of GLiNER2 and of GLiClass
    if (type && type->string() == of_labels) return std::string("config.json has the model_type ") + of_labels;
  }
  return "";
}

}  // namespace

std::filesystem::path adapter_directory(const LoadOptions& options) {
  if (options.adapter.empty()) return {};
  try {
    return find_model(options.adapter);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kNotFound) throw;
    throw Error(ErrorCode::kNotFound, "adapter (LoRA) " + quote_path(options.adapter) +
                                          ": not there, expected a directory with adapter_config.json, or a name in "
                                          "the hub's local cache");
  }
}

ModelForm read_form(const std::filesystem::path& directory, const LoadOptions& options) {
  std::optional<ModelForm> form;
  for (const ReadForm read : listed_forms()) {
    form = read(directory, options);
    if (form) break;
  }
  if (!form && listed_forms().empty()) refuse_label_reader(directory);
  if (!form) form = static_form(directory, options);
  if (!form) form = encoder_form(directory, options);
  if (!form->has_gliner_options) refuse_gliner_options(options);
  return std::move(*form);
}

void refuse_label_reader(const std::filesystem::path& directory) {
  const std::string sign = sign_of_labels(directory);
  if (sign.empty()) return;
  throw Error(ErrorCode::kUnsupported, quote_path(utf8(directory)) + ": a model that reads labels (" + sign +
                                           "), but this library was built without tasks/labels");
}

ModelForm builtin_form(const LoadOptions& options) {
  refuse_gliner_options(options);
  const MemorySource files = builtin_files();
  return {.settings = std::make_shared<const MemorySource>(files),
          .adapter = adapter_directory(options),
          .tokenizer = options.tokenizer,
          .needs_tokenizer = true,
          .config = read_config(files)};
}

TokenizerOrError read_tokenizer(const ModelForm& form) {
  if (!form.directory) return read_builtin_tokenizer(*form.settings, form.tokenizer);
  if (form.needs_tokenizer) return Tokenizer::load(form.tokenizer_place, form.tokenizer);
  return load_tokenizer_if_any(form.tokenizer_place, form.tokenizer);
}

TextSettings read_text_settings(const ModelForm& form, TokenizerOrError tokenizer, const ModelConfig* config,
                                const std::optional<std::string>& task) {
  const bool is_language = config != nullptr && config->language_adapters;
  TextSettings text = read_text_settings(std::move(tokenizer), *form.settings, config,
                                         is_language ? std::nullopt : task, form.static_file);
  if (form.static_kind != StaticKind::kNone) set_unknown_id(text);
  if (!form.max_tokens) return text;
  size_t limit = *form.max_tokens;
  if (config != nullptr) limit = std::min(limit, most_positions(*config));
  const auto* read_by = std::get_if<Tokenizer>(&text.tokenizer);
  if (form.has_tokenizer_limit && read_by != nullptr) {
    limit = std::min(limit, read_by->model_max_length().value_or(limit));
  }
  text.limit = {.tokens = limit, .notice = ""};
  return text;
}

}  // namespace bert
