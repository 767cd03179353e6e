// What is read of a model before any weight: its tokenizer, how a text becomes one vector, how long a text may be.
// Stateless.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bert/model.h"
#include "engine/base/file_source.h"
#include "models/sentence_settings.h"

namespace bert {

struct TextSettings {
  Tokenizer tokenizer;
  SentenceSettings sentence;
  LengthLimit limit;
  std::vector<std::string> notices;
};

// positions: none where no file says how many. hidden: of a token's vector; 0: not known, not compared.
TextSettings read_text_settings(Tokenizer tokenizer, const FileSource& files, std::optional<size_t> positions,
                                size_t hidden);

// Where config.json, the tokenizer's files and the weights lie: the model's directory, or the folder in it that
// modules.json names.
std::filesystem::path encoder_directory(const std::filesystem::path& directory);

Tokenizer read_builtin_tokenizer(const FileSource& files, const TokenizerOptions& options);

// The longest sequence that the model was made for. Positions without a limit do not lift it: a caller asks for more.
size_t table_length(const ModelConfig& config);
// The longest that its positions allow, as Model::max_positions() says it.
size_t most_positions(const ModelConfig& config);

}  // namespace bert
