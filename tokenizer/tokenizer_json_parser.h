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
  Json json;                                                 // the file; model.vocab empty where `vocabulary` has it
  std::vector<std::pair<std::string, uint64_t>> vocabulary;  // model.vocab: token, id, in the file's order
};

// Errors as parse_json; model.vocab that is an object with anything but ids stays in `json`.
ParsedTokenizerJson parse_tokenizer_json(std::string_view text, std::string_view source);

}  // namespace bert
