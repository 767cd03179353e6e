// Describes a model for the command inspect: its configuration, and which vectors it makes of a text: how tokens are
// pooled, and which other kinds its files describe.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bert/config.h"
#include "bert/model.h"
#include "program/cli/common.h"

namespace bert::cli {

std::string config_json(const ModelConfig& config);

// Returns titles with their texts: "sentence vector", and, if the model has them, "modules", "sparse vector" and "token
// vectors".
std::vector<std::pair<std::string, std::string>> vector_lines(const Model& model);

// Adds the description as the members "pooling", "sparse" and "token_modules".
void add_vector_settings(JsonWriter& object, const Model& model);

}  // namespace bert::cli
