// A model without its weights: which form its directory has, and the settings in its files. Stateless.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bert/model.h"
#include "engine/base/file_source.h"
#include "models/model/model_extension.h"
#include "models/sentence/sentence_settings.h"
#include "models/text/text_settings.h"

namespace bert {

// An encoder's configuration, or the reason why there is none; the tokenizer alone does not need one.
using ConfigOrError = std::variant<ModelConfig, Error>;

// Which number of tokens the word embedding has: the configuration's, the tokenizer's, or the weights'.
enum class VocabularyOf { kConfig, kTokenizer, kWeights };

struct ModelForm {
  std::optional<std::string> directory = {};        // nullopt: the built-in model
  std::shared_ptr<const FileSource> settings = {};  // the files of SentenceSettings
  std::filesystem::path tokenizer_place = {};
  std::filesystem::path weights_place = {};
  std::filesystem::path adapter = {};  // the directory of an adapter (LoRA); empty: none
  TokenizerOptions tokenizer = {};
  bool needs_tokenizer = false;  // false: a model without a tokenizer takes ids
  StaticKind static_kind = StaticKind::kNone;
  StaticFile static_file = StaticFile::kConfig;
  ConfigOrError config = {};  // the encoder's; unused for a static model
  VocabularyOf vocabulary = VocabularyOf::kConfig;
  std::vector<std::string> notices = {};

  bool has_gliner_options = false;  // whether LoadOptions::encoder, max_words and max_width apply
  // For a model with an extension, whose file has other layers beside the encoder.
  std::optional<size_t> max_tokens = {};           // limit of a text with its labels, if the positions allow as many
  bool has_tokenizer_limit = true;                 // whether the tokenizer's limit lowers it
  ReadExtension read_extension = {};               // empty: the model has no extension
  std::string_view prefix = {};                    // prefix of the encoder's tensors; empty: the family's own
  std::vector<std::string> left_out = {};          // patterns of the names of unused tensors
  std::function<ModelForm()> second_encoder = {};  // set if the extension has a second encoder, for labels

  // Returns nullptr for a static model, and if there is no configuration.
  const ModelConfig* config_if_any() const {
    return static_kind == StaticKind::kNone ? std::get_if<ModelConfig>(&config) : nullptr;
  }
};

// Reads a directory of one form; returns nullopt if the directory has another form. Throws Error for settings that are
// malformed or unsupported.
using ReadForm = std::optional<ModelForm> (*)(const std::filesystem::path& directory, const LoadOptions& options);

// Returns the forms of models with an extension, which are tried before the core's own forms. The build makes a list
// for each library; the core's list is empty.
std::span<const ReadForm> listed_forms();

// Throws Error(kUnsupported) for the directory of a model that reads labels. A library without these forms calls it,
// because it would otherwise read such a directory as an encoder's.
void refuse_label_reader(const std::filesystem::path& directory);

// Returns LoadOptions::adapter's directory; empty: no adapter is named. Throws Error(kNotFound) if the directory does
// not exist.
std::filesystem::path adapter_directory(const LoadOptions& options);

// Throws Error for settings that are malformed or unsupported.
ModelForm read_form(const std::filesystem::path& directory, const LoadOptions& options);
ModelForm builtin_form(const LoadOptions& options);

// Returns the form's tokenizer. Throws the Error of a malformed tokenizer, and of a missing one if the form needs it.
TokenizerOrError read_tokenizer(const ModelForm& form);

// config: the encoder's, with its changes, or the static table's; null: unknown. task: as in LoadOptions.
TextSettings read_text_settings(const ModelForm& form, TokenizerOrError tokenizer, const ModelConfig* config,
                                const std::optional<std::string>& task);

}  // namespace bert
