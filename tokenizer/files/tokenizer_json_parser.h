// Parses a tokenizer.json so that its vocabulary and merges, which are nearly all of the file, never become a tree of
// JSON values; and what the readers of its components share. Stateless; safe to call from many threads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/json/json.h"
#include "engine/base/json/json_object.h"

namespace bert {

// Lists that are filled here are empty in the tree. A list of an unexpected form stays in the tree, and the readers of
// its fields report the error.
struct ParsedTokenizerJson {
  JsonDocument document;  // the file; it owns the lists' strings
  std::vector<std::string> notices = {};

  std::vector<std::pair<std::string_view, uint64_t>> vocabulary;       // model.vocab: token, id, in the file's order
  std::vector<std::pair<std::string_view, double>> scored_vocabulary;  // model.vocab: token, score, in the ids' order
  std::vector<std::pair<std::string_view, std::string_view>> merges;   // model.merges
};

// Parses a number as the reference does, which is not always the nearest double: it rounds the digits as one integer,
// then multiplies or divides by a power of ten. Source: crate serde_json 1.0 without float_roundtrip.
double reference_double(std::string_view number);

// How the scores of a vocabulary are read: kReference: by reference_double; kNearest: as the nearest double, if the
// reference's class reads the file in Python and creates the model.
enum class ScoreNumbers : bool { kReference, kNearest };

// Throws as parse_json does.
ParsedTokenizerJson parse_tokenizer_json(std::string_view text, std::string_view source,
                                         ScoreNumbers scores = ScoreNumbers::kReference);

// Parses vocab.json, which has the form of model.vocab.
ParsedTokenizerJson parse_vocabulary_json(std::string_view text, std::string_view source);

// Throws Error(kUnsupported), which names the component and what is not supported.
[[noreturn]] void refuse_component(const JsonObject& object, const std::string& what);

std::string type_of(const JsonObject& object);

// Returns the elements of a Sequence, each with its place in the file.
std::vector<JsonObject> elements(const JsonObject& sequence, const char* key);

// Returns a string that must be one character.
char32_t required_character(const JsonObject& object, const char* key);

}  // namespace bert
