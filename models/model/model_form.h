// What a model is but for its weights: which form its directory has, and what the files say of it. Stateless.
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

// An encoder's configuration, or the reason why there is none, which the tokenizer alone does not need.
using ConfigOrError = std::variant<ModelConfig, Error>;

// Which tokens the word embedding has: those of the configuration, of the tokenizer, or of the weights.
enum class VocabularyOf { kConfig, kTokenizer, kWeights };

struct ModelForm {
  std::optional<std::string> directory = {};        // nullopt: the built-in model
  std::shared_ptr<const FileSource> settings = {};  // the files of SentenceSettings
  std::filesystem::path tokenizer_place = {};
  std::filesystem::path weights_place = {};
  std::filesystem::path adapter = {};  // the directory of an adapter (LoRA); empty: none
  TokenizerOptions tokenizer = {};
  bool needs_tokenizer = false;  // false: a model without one takes ids
  StaticKind static_kind = StaticKind::kNone;
  StaticFile static_file = StaticFile::kConfig;
  ConfigOrError config = {};  // of the encoder; not of a static model
  VocabularyOf vocabulary = VocabularyOf::kConfig;
  std::vector<std::string> notices = {};

  bool has_gliner_options = false;  // whether LoadOptions::encoder, max_words and max_width are for it
  // For a model with an extension, whose file has other layers beside the encoder.
  std::optional<size_t> max_tokens = {};   // of a text with the labels beside it, if the positions allow as many
  bool has_tokenizer_limit = true;         // whether the tokenizer's limit lowers it
  ReadExtension read_extension = {};       // empty: the model has none
  std::string_view prefix = {};            // of the encoder's tensors; empty: the family's own
  std::vector<std::string> left_out = {};  // patterns of the names of tensors that are not used
  std::function<ModelForm()> second_encoder = {};  // if the extension has an encoder of its own: for labels

  // nullptr for a static model, and without a configuration.
  const ModelConfig* config_if_any() const {
    return static_kind == StaticKind::kNone ? std::get_if<ModelConfig>(&config) : nullptr;
  }
};

// Reads a directory of one form; nullopt: the directory has another form. Throws Error for settings that are malformed
// or unsupported.
using ReadForm = std::optional<ModelForm> (*)(const std::filesystem::path& directory, const LoadOptions& options);

// The forms of models with an extension, which are asked before the core's own. The build makes the list, one for each
// library: the core's is empty.
std::span<const ReadForm> listed_forms();

// Throws Error(kUnsupported) for the directory of a model that reads labels, for a library without the forms of these:
// else such a directory would be read as an encoder's.
void refuse_label_reader(const std::filesystem::path& directory);

// LoadOptions::adapter's directory; empty: none is named. Throws Error(kNotFound) if it is not there.
std::filesystem::path adapter_directory(const LoadOptions& options);

// Throws Error for settings that are malformed or unsupported.
ModelForm read_form(const std::filesystem::path& directory, const LoadOptions& options);
ModelForm builtin_form(const LoadOptions& options);

// Throws the Error of a malformed tokenizer, and of a missing one if the form needs it.
TokenizerOrError read_tokenizer(const ModelForm& form);

// config: of the encoder, as changed, or of the static table; null: unknown. task: as in LoadOptions.
TextSettings read_text_settings(const ModelForm& form, TokenizerOrError tokenizer, const ModelConfig* config,
                                const std::optional<std::string>& task);

}  // namespace bert
