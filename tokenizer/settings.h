// The resolved settings of a tokenizer's files: made by tokenizer/files/loader.h, used to build a Tokenizer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bert/tokenizer.h"
#include "tokenizer/added_tokens.h"
#include "tokenizer/decoder/decoder.h"
#include "tokenizer/model/model_factory.h"
#include "tokenizer/model/vocabulary.h"
#include "tokenizer/normalizer/normalizer.h"
#include "tokenizer/post_processor/post_processor.h"
#include "tokenizer/pre_tokenizer/pre_tokenizer.h"

namespace bert {

struct TokenizerSettings {
  std::string source;  // the file that errors name
  Vocabulary vocabulary;
  ModelSettings model;
  Normalizer normalizer;
  bool lists_lowercase = false;  // the normalizer is Lowercase, or a sequence that contains it
  PreTokenizer pre_tokenizer;
  AddedTokens added_tokens;
  PostProcessor post_processor;
  Decoder decoder;
  PadToken pad_token;
  std::optional<int32_t> mask_id, unknown_id;  // nullopt if the vocabulary has no such token
  std::optional<size_t> model_max_length;
  bool has_segments = true;  // false: the model gets no type_ids, and the template's are 0
  // Defaults of calls.
  Direction truncation_direction = Direction::kRight;
  bool split_special_tokens = false;
  bool clean_up_spaces = false;  // in decoded text; the reference does not do it for BPE
  std::vector<std::string> notices, remarks;

  // Returns the token's id; added tokens have precedence.
  std::optional<int32_t> id(std::string_view token) const {
    const auto added = added_tokens.id(token);
    return added ? added : vocabulary.id(token);
  }
};

// Makes a BertNormalizer: strip_accents defaults to lowercase, and stripping requires decomposing.
inline BertNormalizer bert_normalizer(bool clean_text, bool split_cjk, std::optional<bool> strip_accents,
                                      bool lowercase) {
  const bool strip = strip_accents.value_or(lowercase);
  return {.clean_text = clean_text,
          .split_cjk = split_cjk,
          .decompose = strip,
          .strip_nonspacing = strip,
          .lowercase = lowercase};
}

// The rules of BertPreTokenizer.
inline constexpr BertSplitRules kBertPreTokenizer = {.split_spaces = true, .isolate_punctuation = true};

}  // namespace bert
