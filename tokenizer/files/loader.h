// Chooses which files of a model to read: tokenizer.json, else the family's own files; and tokenizer_config.json,
// special_tokens_map.json and added_tokens.json. A path inside a file is never opened. Stateless; safe to call from
// many threads.
#pragma once

#include "bert/tokenizer.h"
#include "engine/base/file_source.h"
#include "tokenizer/family.h"
#include "tokenizer/settings.h"

namespace bert {

inline constexpr char kExpectedTokenizerFiles[] =
    "tokenizer.json, vocab.txt, vocab.json with merges.txt, or a SentencePiece file";

// Throws Error as Tokenizer::load does.
TokenizerSettings load_settings(const FileSource& files, const TokenizerFamilies& families,
                                const TokenizerOptions& options);

}  // namespace bert
