// Makes a tokenizer from its family's own files if there is no tokenizer.json: vocab.txt, vocab.json with merges.txt,
// or a SentencePiece model. Stateless; safe to call from many threads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bert/tokenizer.h"
#include "engine/base/file_source.h"
#include "tokenizer/family.h"
#include "tokenizer/files/side_files.h"
#include "tokenizer/settings.h"

namespace bert {

// The texts of the vocabulary files, and the files' names for messages.
struct VocabularyFiles {
  std::string text, name;
  std::string merges = {}, merges_name = {};
};

// Returns nullopt if there are no files of this kind.
std::optional<VocabularyFiles> read_vocabulary_files(const FileSource& files, TokenizerFiles kind);

// notices: the notices so far.
TokenizerSettings settings_from_vocabulary(const TokenizerFamily& family, const VocabularyFiles& files,
                                           const SideFiles& side_files, const TokenizerOptions& options,
                                           std::vector<std::string> notices);

}  // namespace bert
