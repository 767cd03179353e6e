// The settings of a model without its weights: its tokenizer, its pooling, its maximum text length.
// Stateless.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "bert/model.h"
#include "engine/base/file_source.h"
#include "models/sentence/sentence_settings.h"

namespace bert {

// A model's tokenizer, or the reason why it has none: then only ids can be encoded.
using TokenizerOrError = std::variant<Tokenizer, Error>;

struct TextSettings {
  TokenizerOrError tokenizer;
  SentenceSettings sentence;
  LengthLimit limit;
  std::optional<size_t> adapter;  // of the task, in ModelConfig::adapters
  std::vector<std::string> notices;
};

// config: null if there is no config.json. task, static_file: as in LoadOptions.
TextSettings read_text_settings(TokenizerOrError tokenizer, const FileSource& files, const ModelConfig* config,
                                const std::optional<std::string>& task, StaticFile static_file = StaticFile::kConfig);

// Sets the unknown token of a static model whose mean leaves it out.
void set_unknown_id(TextSettings& settings);

// The tokenizer of a model without an encoder.
void set_static(StaticKind kind, TokenizerOptions& options);

// Tokenizer::load, for a model that works without one. An error if the directory has no tokenizer or an unsupported
// one; throws the Error of a malformed one.
TokenizerOrError load_tokenizer_if_any(const std::filesystem::path& directory, const TokenizerOptions& options);

// The directory of config.json, the tokenizer's files and the weights: the model's, or the folder in it that
// modules.json names. task: as in LoadOptions.
std::filesystem::path encoder_directory(const std::filesystem::path& directory,
                                        const std::optional<std::string>& task = {});

Tokenizer read_builtin_tokenizer(const FileSource& files, const TokenizerOptions& options);

// The longest sequence the model was made for. Unlimited positions do not raise it: a caller can ask for more.
size_t table_length(const ModelConfig& config);
// The longest that its positions allow, as in Model::max_positions().
size_t most_positions(const ModelConfig& config);

}  // namespace bert
