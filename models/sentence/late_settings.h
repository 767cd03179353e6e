// The settings in a directory of a late-interaction model: of Stanford's ColBERT (HF_ColBERT in config.json, with
// artifact.metadata), PyLate (config_sentence_transformers.json), sentence-transformers' MultiVectorEncoder (with
// MultiVectorMask and the settings of its Transformer), or BGE-M3's head for tokens. Plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/file_source.h"
#include "models/sentence/sentence_modules.h"

namespace bert {

// The text before texts of one role, and the limit of their length.
struct RoleTexts {
  std::string prompt;                // text
  std::string marker;                // the beginning of the prompt, which is inserted as one token if the vocabulary
                                     // has it
  std::optional<size_t> max_length;  // in tokens, including special ones
  bool skips_words = false;          // the vectors of skipped words are left out
};

// Queries are padded with mask tokens, which have vectors.
struct QueryExpansion {
  size_t length = 32;                     // tokens of a query with its padding
  bool fixed = true;                      // a longer query is truncated to that length; false: it is not
  bool attended = false;                  // the other tokens attend to the padding
  std::optional<std::string> token = {};  // nullopt: the tokenizer's mask
};

struct LateSettings {
  // The modules after the encoder: Dense and Normalize of each token. A Dense with 0 outputs has as many as its
  // weights.
  std::vector<SentenceModule> modules;
  RoleTexts query;
  RoleTexts document;
  std::optional<QueryExpansion> expansion;
  std::vector<std::string> skipped_words;
  std::vector<int32_t> kept_ids;  // only these tokens of a document have vectors; empty: all
  bool skips_first = false;       // the first token, [CLS], has no vector
  bool mean_score = false;        // MeanMaxSim: the score is divided by the number of the query's vectors
  std::vector<std::string> notices;
};

// Returns nullopt unless the model is late-interaction. modules: modules.json after routing, nullopt if absent.
// transformer_directory: of the settings of the Transformer. Throws Error(kInvalidFile), kNotFound and kUnsupported.
std::optional<LateSettings> read_late_settings(const FileSource& files,
                                               const std::optional<std::vector<NamedModule>>& modules,
                                               const std::string& transformer_directory);

// Returns the settings of BGE-M3's head: queries and documents are read alike, without prompts and expansion.
LateSettings head_settings(SentenceModule token_head);

}  // namespace bert
