// Parses a tokenizer.json so that its vocabulary and merges, nearly all of the file, never become a tree of JSON
// values. Stateless; safe to call from many threads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/json/json.h"

namespace bert {

// Lists that are filled here are empty in the tree. If a list is not as expected, everything stays in the tree, and the
// readers of its fields report the error.
struct ParsedTokenizerJson {
  JsonDocument document;  // the file; it owns the lists' strings
  std::vector<std::string> notices = {};

  std::vector<std::pair<std::string_view, uint64_t>> vocabulary;       // model.vocab: token, id, in the file's order
  std::vector<std::pair<std::string_view, double>> scored_vocabulary;  // model.vocab: token, score, in the ids' order
  std::vector<std::pair<std::string_view, std::string_view>> merges;   // model.merges
};

// A number as the reference reads it, which is not always the nearest double: the digits as one integer, rounded, then
// multiplied or divided by a power of ten. Source: crate serde_json 1.0 without float_roundtrip.
double reference_double(std::string_view number);

// How the scores of a vocabulary are read: as reference_double, or, where the reference's class reads the file in
// Python and makes the model, as the nearest double.
enum class ScoreNumbers : bool { kReference, kNearest };

// Errors as parse_json.
ParsedTokenizerJson parse_tokenizer_json(std::string_view text, std::string_view source,
                                         ScoreNumbers scores = ScoreNumbers::kReference);

// vocab.json: the whole file is like model.vocab.
ParsedTokenizerJson parse_vocabulary_json(std::string_view text, std::string_view source);

}  // namespace bert
