// Converts a SentencePiece file as the reference's tokenizer classes do: scores become a Unigram model, the table
// becomes a normalizer. Source: Hugging Face transformers 5.23, the tokenizer classes.
// Stateless; safe to call from many threads.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json/json_object.h"
#include "tokenizer/decoder/decoder.h"
#include "tokenizer/family.h"
#include "tokenizer/files/sentencepiece_file.h"
#include "tokenizer/model/vocabulary.h"
#include "tokenizer/normalizer/normalizer.h"
#include "tokenizer/pre_tokenizer/pre_tokenizer.h"

namespace bert {

struct ConvertedModel {
  Vocabulary vocabulary;
  UnigramSettings settings;
};

// Returns "<extra_id_99>", …, "<extra_id_0>".
std::vector<std::string> extra_tokens(size_t count);

// Converts a file. extra: tokens after the file's pieces. Throws Error, which names `source`: kUnsupported for a kind
// other than Unigram, kInvalidFile if the family's unknown token is missing.
ConvertedModel convert_model(const SentencePieceFile& file, const TokenizerFamily& family, std::string_view source,
                             std::span<const std::string> extra = {});

// The fields of tokenizer_config.json that change texts.
struct PieceTextOptions {
  bool lowercase = true;  // ignored for kPlain
  bool keep_accents = false;
  bool add_prefix_space = true;
  bool split_punctuation = false;  // for kComposed
};
PieceTextOptions read_piece_text_options(const JsonObject* config, PieceText text);

// Normalizer, pre-tokenizer and decoder of a tokenizer class with pieces. charsmap: null: there is no table.
struct PieceTextSettings {
  Normalizer normalizer;
  PreTokenizer pre_tokenizer;
  Decoder decoder;
};
PieceTextSettings piece_text_settings(PieceText text, const PieceTextOptions& options,
                                      std::shared_ptr<const Charsmap> charsmap);

}  // namespace bert
