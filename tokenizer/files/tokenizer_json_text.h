// The components of tokenizer.json before and after the model: normalizer, pre-tokenizer, post-processor, decoder.
// Stateless; safe to call from many threads.
#pragma once

#include <optional>

#include "tokenizer/decoder/decoder.h"
#include "tokenizer/family.h"
#include "tokenizer/files/tokenizer_json_parser.h"
#include "tokenizer/normalizer/normalizer.h"
#include "tokenizer/post_processor/post_processor.h"
#include "tokenizer/pre_tokenizer/pre_tokenizer.h"

namespace bert {

struct BertNormalizerFields {
  bool clean_text = true;
  bool split_cjk = true;
  std::optional<bool> strip_accents;
  bool lowercase = true;
};
BertNormalizerFields read_bert_normalizer(const JsonObject& object);

// These functions throw Error: kInvalidFile for a malformed component, kUnsupported for one that is not implemented.
Normalizer read_normalizer(const JsonObject& object);
bool lists_lowercase(const JsonObject& normalizer);  // whether it is Lowercase or a Sequence that contains it
PreTokenizer read_pre_tokenizer(const JsonObject& object);
PostProcessor read_post_processor(const JsonObject& object, const TokenizerFamilies& families);
Decoder read_decoder(const JsonObject& object);

int32_t read_id(const JsonObject& object, const char* key);

}  // namespace bert
