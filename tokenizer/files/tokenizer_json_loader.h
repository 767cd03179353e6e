// Makes a tokenizer from tokenizer.json and the side files: some of the reference's tokenizer classes use only the
// vocabulary of tokenizer.json and rebuild the rest. Stateless; safe to call from many threads.
#pragma once

#include <string_view>

#include "bert/tokenizer.h"
#include "tokenizer/family.h"
#include "tokenizer/files/side_files.h"
#include "tokenizer/settings.h"

namespace bert {

inline constexpr char kTokenizerJson[] = "tokenizer.json";

// source: provides config.json, which may name the class.
TokenizerSettings settings_from_tokenizer_json(std::string_view text, const FileSource& source,
                                               const TokenizerFamilies& families, const SideFiles& files,
                                               const TokenizerOptions& options);

}  // namespace bert
