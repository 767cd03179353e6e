// Parses a tokenizer.json in one pass in which the vocabulary, nearly all of the file, never becomes a tree of JSON
// values. Stateless; safe to call from many threads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/json.h"

namespace bert {

struct ParsedTokenizerJson {
  Json json;  // the file; model.vocab empty where one of the two below has it
  std::vector<std::pair<std::string, uint64_t>> vocabulary;       // model.vocab: token, id, in the file's order
  std::vector<std::pair<std::string, double>> scored_vocabulary;  // model.vocab: token, score, in the order of the ids
};

// A number as the reference reads it, which is not always the nearest double: the digits as one integer, rounded, then
// multiplied or divided by a power of ten. Source: crate serde_json 1.0 without float_roundtrip.
double reference_double(std::string_view number);

// Errors as parse_json; model.vocab that has anything but ids, or pairs of token and score, stays in `json`.
ParsedTokenizerJson parse_tokenizer_json(std::string_view text, std::string_view source);

}  // namespace bert
