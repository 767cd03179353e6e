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

// `parsed` is the file that `model` is of; the vocabulary that it carries beside the tree is taken.
// Throws Error: kInvalidFile where it is malformed, kUnsupported where the kind is not implemented.
JsonModel read_model(const JsonObject& model, ParsedTokenizerJson& parsed);

// The merges of "a b" or ["a", "b"]. Throws Error(kInvalidFile).
std::vector<std::pair<std::string, std::string>> read_merges(const JsonObject& model);

}  // namespace bert
