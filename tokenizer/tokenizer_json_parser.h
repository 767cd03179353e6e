// Parses a tokenizer.json so that its vocabulary and merges, nearly all of the file, never become a tree of JSON
// values. Stateless; safe to call from many threads.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/json.h"

namespace bert {

// What the lists have is empty in the tree. Of a file with anything out of the ordinary all stays in the tree, for the
// readers of its fields to say what is wrong with it.
struct ParsedTokenizerJson {
  JsonDocument document;  // the file; the lists' strings lie in it

  std::vector<std::pair<std::string_view, uint64_t>> vocabulary;       // model.vocab: token, id, in the file's order
  std::vector<std::pair<std::string_view, double>> scored_vocabulary;  // model.vocab: token, score, in the ids' order
  std::vector<std::pair<std::string_view, std::string_view>> merges;   // model.merges
};

// A number as the reference reads it, which is not always the nearest double: the digits as one integer, rounded, then
// multiplied or divided by a power of ten. Source: crate serde_json 1.0 without float_roundtrip.
double reference_double(std::string_view number);

// Errors as parse_json.
ParsedTokenizerJson parse_tokenizer_json(std::string_view text, std::string_view source);

// vocab.json, all of which is what model.vocab is in the other.
ParsedTokenizerJson parse_vocabulary_json(std::string_view text, std::string_view source);

}  // namespace bert
