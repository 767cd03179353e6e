// What the readers of tokenizer.json's components share. Stateless; safe to call from many threads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tokenizer/json_fields.h"

namespace bert {

// Throws Error(kUnsupported): the component and what of it is not supported.
[[noreturn]] void refuse_component(const JsonObject& object, const std::string& what);

std::string type_of(const JsonObject& object);

// The component `key` of the file; nullopt where it is null or absent.
std::optional<JsonObject> component(const JsonObject& file, const char* key);

// The elements of a Sequence, each with its place in the file.
std::vector<JsonObject> elements(const JsonObject& sequence, const char* key);

// A string of one character.
char32_t required_character(const JsonObject& object, const char* key);

}  // namespace bert
