// Converts a SentencePiece file as the reference's fast tokenizer does: its scores become a Unigram or the merges of a
// BPE, its table a normalizer. Source: Hugging Face transformers 4.57.6, convert_slow_tokenizer. Stateless; safe to
// call from many threads.
#pragma once

#include <string_view>

#include "tokenizer/family.h"
#include "tokenizer/model_factory.h"
#include "tokenizer/sentencepiece_file.h"
#include "tokenizer/text_normalizer.h"
#include "tokenizer/vocabulary.h"

namespace bert {

struct ConvertedModel {
  Vocabulary vocabulary;
  ModelSettings settings;
};

// Throws Error naming `source`: kUnsupported for a kind other than Unigram and BPE, kInvalidFile if the family's
// unknown token is missing.
ConvertedModel convert_model(const SentencePieceFile& file, const TokenizerFamily& family, std::string_view source);

struct TextPreparation {
  bool lowercase = true;
  bool keep_accents = false;
};

// preparation: for families with `prepared` set.
TextNormalizer convert_normalizer(const SentencePieceFile& file, const TokenizerFamily& family,
                                  const TextPreparation& preparation, std::string_view source);

}  // namespace bert
