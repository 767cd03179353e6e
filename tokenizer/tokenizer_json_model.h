// The model of tokenizer.json with its vocabulary. Stateless; safe to call from many threads.
#pragma once

#include "tokenizer/model_factory.h"
#include "tokenizer/tokenizer_json_fields.h"
#include "tokenizer/tokenizer_json_parser.h"
#include "tokenizer/vocabulary.h"

namespace bert {

struct JsonModel {
  Vocabulary vocabulary;
  ModelSettings settings;
};

// All take the lists that `parsed` has beside the tree that `model` and `vocab` are of, or else the tree's own; what is
// wrong with those they say. Throw Error: kInvalidFile where something is malformed, kUnsupported where the kind of
// model is not implemented.
JsonModel read_model(const JsonObject& model, ParsedTokenizerJson& parsed);
Vocabulary read_vocabulary(const JsonObject& vocab, ParsedTokenizerJson& parsed);  // tokens with ids

}  // namespace bert
