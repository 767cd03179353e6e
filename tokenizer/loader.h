// Which file of a directory decides what: tokenizer.json, else the family's own; tokenizer_config.json,
// special_tokens_map.json and added_tokens.json beside them. No path that stands inside a file is ever opened.
// Stateless; safe to call from many threads.
#pragma once

#include <filesystem>
#include <string_view>

#include "bert/tokenizer.h"
#include "tokenizer/settings.h"

namespace bert {

// Errors as Tokenizer::load and Tokenizer::from_vocabulary say.
TokenizerSettings load_settings(const std::filesystem::path& directory, const TokenizerOptions& options);
TokenizerSettings settings_from_vocabulary(std::string_view vocabulary, std::string_view tokenizer_config,
                                           const TokenizerOptions& options);

}  // namespace bert
