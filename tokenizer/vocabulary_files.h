// A tokenizer from its family's own files, where there is no tokenizer.json: vocab.txt, vocab.json with merges.txt, or
// a SentencePiece model. Stateless; safe to call from many threads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bert/tokenizer.h"
#include "engine/base/file_source.h"
#include "tokenizer/family.h"
#include "tokenizer/settings.h"
#include "tokenizer/small_files.h"

namespace bert {

// The texts of the files that hold a vocabulary, and the name of the first, which errors say.
struct VocabularyFiles {
  std::string text;
  std::string merges = {};
  const char* name;
};

// None where the files of this kind are not there.
std::optional<VocabularyFiles> read_vocabulary_files(const FileSource& files, TokenizerFiles kind);

// notices: those that there are already.
TokenizerSettings settings_from_vocabulary(const TokenizerFamily& family, const VocabularyFiles& files,
                                           const SmallFiles& small_files, const TokenizerOptions& options,
                                           std::vector<std::string> notices);

}  // namespace bert
