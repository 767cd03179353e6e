// What a model is but for its weights: which form its directory has, and what the files say of it. Stateless.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bert/model.h"
#include "engine/base/file_source.h"
#include "engine/checkpoint/weight_reader.h"
#include "models/labels/label_reader.h"
#include "models/sentence/sentence_settings.h"
#include "models/text/text_settings.h"

namespace bert {

// Reads what a model that reads labels has beside the encoder with this configuration.
using ReadLabelLayers = std::function<std::unique_ptr<const LabelReader>(
    const ModelConfig& config, const Tokenizer& tokenizer, WeightReader& weights)>;

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

  // For a model that reads labels, whose file has other layers beside the encoder.
  std::optional<size_t> max_tokens = {};          // of a text with its labels, if the positions allow as many
  bool has_tokenizer_limit = true;                // whether the tokenizer's limit lowers it
  ReadLabelLayers read_labels = {};               // empty: it reads none
  std::string_view prefix = {};                   // of the encoder's tensors; empty: the family's own
  std::vector<std::string> left_out = {};         // patterns of the names of tensors that are not used
  std::function<ModelForm()> label_encoder = {};  // if labels have an encoder of their own

  // nullptr for a static model, and without a configuration.
  const ModelConfig* config_if_any() const {
    return static_kind == StaticKind::kNone ? std::get_if<ModelConfig>(&config) : nullptr;
  }
};

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
