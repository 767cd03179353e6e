// Shared by the readers of tokenizer.json's components. Stateless; safe to call from many threads.
#pragma once

#include <string>
#include <vector>

#include "engine/base/json/json_object.h"

namespace bert {

// Throws Error(kUnsupported), which names the component and what is not supported.
[[noreturn]] void refuse_component(const JsonObject& object, const std::string& what);

std::string type_of(const JsonObject& object);

// Returns the elements of a Sequence, each with its place in the file.
std::vector<JsonObject> elements(const JsonObject& sequence, const char* key);

// Returns a string that must be one character.
char32_t required_character(const JsonObject& object, const char* key);

}  // namespace bert
