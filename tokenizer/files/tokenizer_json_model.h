// The model of tokenizer.json with its vocabulary. Stateless; safe to call from many threads.
#pragma once

#include "tokenizer/files/tokenizer_json_parser.h"
#include "tokenizer/model/model_factory.h"
#include "tokenizer/model/vocabulary.h"

namespace bert {

struct JsonModel {
  Vocabulary vocabulary;
  ModelSettings settings;
};

// `model` and `vocab` are parts of the tree in `parsed`. The functions use the lists of `parsed`, or those of the tree,
// and report errors in them. They throw Error: kInvalidFile for malformed data, kUnsupported for a kind of model that
// is not implemented.
JsonModel read_model(const JsonObject& model, ParsedTokenizerJson& parsed);
Vocabulary read_vocabulary(const JsonObject& vocab, ParsedTokenizerJson& parsed);  // tokens with ids

}  // namespace bert
