// The settings of a model without its weights: its tokenizer, its pooling, the limit of its texts. Stateless.
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

// A model's tokenizer, or the reason why it has none; then only ids can be encoded.
using TokenizerOrError = std::variant<Tokenizer, Error>;

// The limit in effect: that of the sentence settings, else the tokenizer's, else the position table's. A limit above
// the position table's size is lowered to it, with a notice.
struct LengthLimits {
  std::optional<size_t> sentence;
  std::optional<size_t> tokenizer;
  std::optional<size_t> positions;
};
struct LengthLimit {
  std::optional<size_t> tokens;  // nullopt if no file has one
  std::string notice;            // empty: no notice
};
LengthLimit resolve_length_limit(const LengthLimits& limits);

struct TextSettings {
  TokenizerOrError tokenizer;
  SentenceSettings sentence;
  LengthLimit limit;
  std::optional<size_t> adapter;  // the task's, as an index in ModelConfig::adapters
  std::vector<std::string> notices;
};

// config: null if there is no config.json. task, static_file: as in LoadOptions.
TextSettings read_text_settings(TokenizerOrError tokenizer, const FileSource& files, const ModelConfig* config,
                                const std::optional<std::string>& task, StaticFile static_file = StaticFile::kConfig);

// Sets the unknown token of a static model whose mean excludes it.
void set_unknown_id(TextSettings& settings);

// Sets the tokenizer options of a model without an encoder.
void set_static(StaticKind kind, TokenizerOptions& options);

// Calls Tokenizer::load for a model that works without a tokenizer. Returns an Error if the directory has no tokenizer
// or an unsupported one; throws the Error of a malformed one.
TokenizerOrError load_tokenizer_if_any(const std::filesystem::path& directory, const TokenizerOptions& options);

// Returns the directory of config.json, the tokenizer's files and the weights: the model's directory, or the folder in
// it that modules.json names. task: as in LoadOptions.
std::filesystem::path encoder_directory(const std::filesystem::path& directory,
                                        const std::optional<std::string>& task = {});

Tokenizer read_builtin_tokenizer(const FileSource& files, const TokenizerOptions& options);

// Returns the longest sequence that the positions allow, as Model::max_positions() does.
size_t most_positions(const ModelConfig& config);

}  // namespace bert
