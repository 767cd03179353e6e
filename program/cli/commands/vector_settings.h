// What inspect says of the vectors that a model makes of a text: how the tokens are pooled, and which other kinds its
// files describe.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bert/model.h"
#include "program/cli/common.h"

namespace bert::cli {

// Titles with their texts: "sentence vector", and those of "modules", "sparse vector" and "token vectors" that there
// are.
std::vector<std::pair<std::string, std::string>> vector_lines(const Model& model);

// The same as the members "pooling", "sparse" and "token_modules".
void add_vector_settings(JsonWriter& object, const Model& model);

}  // namespace bert::cli
